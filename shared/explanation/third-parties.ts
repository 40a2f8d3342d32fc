import { cutText, printable } from '../text.ts';
import { factsOf, type RequestFact, type ScriptFact } from './facts.ts';
import type { Report } from './report.ts';

/** A third party of a page: the origins of its requests, and what these cost. */
export type ThirdParty = {
  name: string;
  origins: string[];
  bytes: number;
  mainThreadMs: number;
  /** True if the page has a frame of the third party. */
  hasFrames: boolean;
};

const MAX_NAME = 60;

/**
 * Returns the third parties of a page, those with the largest part of the main-thread time or the bytes of all third
 * parties first. A third party has the name of its entity, or of its host if the report has no entities.
 */
export const thirdPartiesOf = (report: Report): ThirdParty[] => {
  const facts = factsOf(report);
  const entities = new Map((report.entities ?? []).flatMap(({ name, origins }) => origins.map((each) => [each, name])));
  const parties = new Map<string, ThirdParty>();
  const partyOf = ({ thirdParty, url }: RequestFact | ScriptFact): ThirdParty | undefined => {
    if (!thirdParty || !/^https?:/.test(url)) return undefined;
    const { origin, host } = new URL(url);
    const name = cutText(printable(entities.get(origin) ?? host), MAX_NAME);
    const party = parties.get(name) ?? { name, origins: [], bytes: 0, mainThreadMs: 0, hasFrames: false };
    if (!party.origins.includes(origin)) party.origins.push(origin);
    parties.set(name, party);
    return party;
  };
  for (const request of facts.requests.values()) {
    const party = partyOf(request);
    if (!party) continue;
    party.bytes += request.bytes;
    if (request.type === 'Document') party.hasFrames = true;
  }
  for (const script of facts.scripts.values()) {
    const party = partyOf(script);
    if (party) party.mainThreadMs += script.ms;
  }
  return byCost([...parties.values()]);
};

const byCost = (parties: readonly ThirdParty[]): ThirdParty[] => {
  const total = (cost: 'bytes' | 'mainThreadMs') => parties.reduce((sum, party) => sum + party[cost], 0) || 1;
  const [bytes, ms] = [total('bytes'), total('mainThreadMs')];
  const share = (party: ThirdParty) => Math.max(party.bytes / bytes, party.mainThreadMs / ms);
  return parties.toSorted((a, b) => share(b) - share(a));
};

/** Returns the patterns that block all requests to these third parties, up to a number. */
export const patternsOf = (parties: readonly ThirdParty[], max: number): string[] =>
  parties.flatMap(({ origins }) => origins.map((origin) => `${origin}/`)).slice(0, max);
