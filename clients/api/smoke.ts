import type { CheckView } from '../../shared/check.ts';
import type { Region } from '../../shared/regions.ts';
import { type Judgement, judge, KNOWN_PATH } from '../../shared/service/known-page.ts';
import type { Client } from './client.ts';

type Order = {
  /** URL under which the audits reach the service. */
  url: string;
  regions: readonly Region[];
  /** Label of the check. */
  purpose: 'smoke' | 'canary';
  /** Time limit for all regions, in milliseconds. */
  limitMs: number;
};

/** Returns the URL of the known page of a service, which may lie under a path of its host. */
export const knownPageOf = (url: string): string => `${url.replace(/\/+$/, '')}${KNOWN_PATH}`;

/**
 * Lets a service audit its own known page in each region. Returns each region's judgement. A region that has not finished
 * within the limit fails. Throws if the check can't be created or read.
 */
export const smoke = async (
  client: Pick<Client, 'create' | 'get' | 'wait'>,
  { url, regions, purpose, limitMs }: Order,
): Promise<Judgement[]> => {
  const { id } = await client.create({
    url: knownPageOf(url),
    auditVersion: 'latest',
    regions: [...regions],
    labels: { purpose },
  });
  const limit = AbortSignal.timeout(limitMs);
  const check: CheckView = await client.wait(id, { signal: limit }).catch((error) => {
    if (!limit.aborted) throw error;
    return client.get(id);
  });
  return check.runs.map(judge);
};
