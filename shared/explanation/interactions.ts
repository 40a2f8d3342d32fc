import type { CheckComparison } from '../comparison/schemas.ts';
import { type EventTimes, eventParts, msOf } from '../interactions/event-parts.ts';
import type { InteractionRun } from '../interactions/interactions-schemas.ts';
import { interactionMetrics } from '../interactions/metrics.ts';
import { recordOf } from '../record.ts';
import type { Region } from '../regions.ts';
import { isOtherSite, matchKey, nameOfUrl, shownUrl } from './addresses.ts';
import { keyIn } from './alike.ts';
import { MAX_ENTRIES } from './bounds.ts';
import type { ReportFacts } from './facts.ts';
import { isChange } from './points.ts';
import type { EventParts, InteractionExplanation } from './schema.ts';
import { plain } from './verdicts.ts';
import { timeText } from './words.ts';

/** The interactions of one side, and the document of its page with the key of its folder. */
export type InteractionSide = Pick<ReportFacts, 'documentUrl' | 'folder'> & {
  interactions: readonly InteractionRun[] | null;
};

/** Explains the interactions whose INP changed in a region, by the longest event of each side. */
export const explainInteractions = (
  base: InteractionSide,
  now: InteractionSide,
  { compared, region }: { compared: CheckComparison['interactions']; region: Region },
): InteractionExplanation[] =>
  compared.flatMap(({ name, metrics }) => {
    const judged = metrics.inp.regions[region];
    if (!judged || !isChange({ verdict: judged.verdict })) return [];
    const [before, after] = [base, now].map(({ interactions }) => interactions?.find((each) => each.name === name));
    return [
      {
        name,
        verdict: judged.verdict,
        changeMs: Math.round(plain(judged.change?.estimate ?? null) ?? 0),
        event: { base: eventOf(before), value: eventOf(after) },
        scripts: scriptPairs(
          { folder: base.folder, files: scriptsOf(before, base) },
          { folder: now.folder, files: scriptsOf(after, now) },
        ),
      },
    ];
  });

const eventOf = (result: InteractionRun | undefined): InteractionExplanation['event']['base'] => {
  const event = result?.longestEvent;
  return event ? { type: event.type, selector: event.selector, ...roundedParts(event) } : null;
};

const roundedParts = (event: EventTimes): EventParts => ({
  inputDelayMs: Math.round(event.inputDelay),
  processingMs: Math.round(event.processing),
  presentationMs: Math.round(event.presentation),
});

type Script = EventTimes & { url: string; function: string | null; thirdParty: boolean };

/** Returns the scripts by the key of their address. A build may rename functions, so a script has the name of its longest one. */
const scriptsOf = (result: InteractionRun | undefined, { documentUrl }: InteractionSide): Map<string, Script> => {
  const scripts = new Map<string, Script>();
  for (const each of result?.longestEvent?.scripts ?? []) {
    const key = matchKey(each.url, documentUrl);
    const before = scripts.get(key);
    scripts.set(key, {
      url: shownUrl(each.url),
      function: before ? before.function : each.function,
      thirdParty: isOtherSite(each.url, documentUrl),
      ...recordOf(eventParts, (part) => each[part] + (before?.[part] ?? 0)),
    });
  }
  return scripts;
};

const totalOf = (script: EventTimes | undefined): number => (script ? msOf(script) : 0);

type Scripts = { folder: string; files: ReadonlyMap<string, Script> };

const scriptPairs = (before: Scripts, now: Scripts): InteractionExplanation['scripts'] => {
  const base = new Map([...before.files].map(([key, script]) => [keyIn(now, before, key), script]));
  return [...new Set([...now.files.keys(), ...base.keys()])]
    .map((key) => ({ before: base.get(key), after: now.files.get(key) }))
    .filter(({ before, after }) => Math.round(totalOf(after) - totalOf(before)) !== 0)
    .toSorted((a, b) => Math.abs(totalOf(b.after) - totalOf(b.before)) - Math.abs(totalOf(a.after) - totalOf(a.before)))
    .slice(0, MAX_ENTRIES)
    .map(({ before, after }) => {
      const { url, function: name, thirdParty } = (after ?? before) as Script;
      const [base, value] = [before, after].map((script) => (script ? roundedParts(script) : null));
      return { url, function: name, thirdParty, base: base ?? null, value: value ?? null };
    });
};

/** A script or a part of the time is named if it explains this share of a change. */
const MIN_SHARE = 0.2;

const placeOf: Record<keyof EventParts, (type: string) => string> = {
  inputDelayMs: (type) => `before the handlers of the ${type}`,
  processingMs: (type) => `in the handlers of the ${type}`,
  presentationMs: (type) => `between the handlers of the ${type} and the paint`,
};
const partNames = Object.keys(placeOf) as (keyof EventParts)[];

/** Returns the part that changed most in the direction of a change. */
const mostChanged = (base: EventParts | null, value: EventParts | null, sign: number) =>
  partNames
    .map((part) => ({ part, change: (value?.[part] ?? 0) - (base?.[part] ?? 0) }))
    .toSorted((a, b) => sign * (b.change - a.change))[0];

/** Returns the clause about an interaction: its change, and the script or the part of the time that made it. */
export const interactionClause = (
  { name, changeMs, event, scripts }: InteractionExplanation,
  documentUrl: string,
): string => {
  const [sign, type] = [Math.sign(changeMs), event.value?.type ?? event.base?.type ?? 'event'];
  const words = changeMs > 0 ? ['slower', 'more'] : ['faster', 'less'];
  const text = `${interactionMetrics.inp.shortTitle} of ${name} is ${timeText(Math.abs(changeMs))} ${words[0]}`;
  const isLarge = (change: number) => sign * change >= MIN_SHARE * Math.abs(changeMs);
  const script = scripts
    .map((each) => ({ each, change: sumOf(each.value) - sumOf(each.base) }))
    .find(({ change }) => isLarge(change));
  if (script) {
    const { url, function: called, base, value } = script.each;
    const part = mostChanged(base, value, sign)?.part ?? 'processingMs';
    const file = nameOfUrl(url, documentUrl);
    return `${text}: ${called ? `${called} in ${file}` : file} takes ${timeText(Math.abs(script.change))} ${words[1]} ${placeOf[part](type)}`;
  }
  const part = mostChanged(event.base, event.value, sign);
  if (!event.base || !event.value || !part || !isLarge(part.change)) return `${text}, and its events show no cause`;
  return `${text}: ${timeText(Math.abs(part.change))} ${words[1]} ${placeOf[part.part](type)}`;
};

const sumOf = (all: EventParts | null): number => partNames.reduce((sum, part) => sum + (all?.[part] ?? 0), 0);
