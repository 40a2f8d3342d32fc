import { deriveCheckId } from '../../functions/lib/http/idempotency.ts';
import { type PlanName, plans } from '../../shared/service/plans.ts';
import type { Item } from './embedded-table.ts';
import { simulatedRegions } from './functions.ts';
import type { Random } from './random.ts';
import { readersOf, type Seen } from './readers.ts';
import type { ApiAnswer, ApiName, ApiRequest } from './service.ts';
import { simulatedAgainst } from './simulated-auditors.ts';
import type { Timeline } from './timeline.ts';

export type Options = {
  timeline: Timeline;
  random: Random;
  request: (name: ApiName, input: ApiRequest) => Promise<ApiAnswer>;
  hasCheck: (checkId: string) => boolean;
  images: ReadonlyMap<string, Item>;
  /** Returns the owner of the first item of a check. */
  ownerOf: (checkId: string) => string | undefined;
  violated: (what: string) => void;
};
/** A check as its client knows it. */
export type Known = {
  id: string | undefined;
  accepted: boolean;
  deleteSent: boolean;
  deleted: boolean;
  created: number;
};

/** All owners have the plan with the fewest open checks. */
export const plan: PlanName = 'small';
export const owners = ['anna', 'otto'];

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Runs clients that create, read, share and erase checks at any moment, and judge the answers. */
export const startClients = (options: Options) => {
  const { timeline, random } = options;
  const count = random.between(5, 12);
  const accepted = new Map<string, Known>();
  const clients = Array.from({ length: count }, async () => {
    await timeline.sleep(random.between(0, 8 * MINUTE));
    await runClient(options, accepted);
  });
  if (random.chance(0.15)) clients.push(burst(options));
  return {
    done: Promise.all(clients),
    /** Returns the ids of the checks whose create was answered with success, and whose client sent no DELETE. */
    accepted: (): string[] =>
      [...accepted].filter(([, known]) => known.accepted && !known.deleteSent).map(([id]) => id),
  };
};

/** Acts of a client, with how often it does each. */
const acts = { read: 3, create: 2, erase: 2, wait: 1, list: 2, series: 1, pages: 2, share: 2, revoke: 1, intrude: 1 };

const runClient = async (options: Options, accepted: Map<string, Known>): Promise<void> => {
  const { random, timeline } = options;
  const owner = random.pick(owners);
  const key = random.chance(0.75) ? random.uuid() : undefined;
  const regions = random.chance(0.5) ? [...simulatedRegions] : [random.pick(simulatedRegions)];
  const samples = random.between(1, 2);
  const isCompared = random.chance(0.3);
  const isAuto = isCompared && samples === 2 && regions.length === 1;
  const client = clientOf(options, accepted, {
    caller: { owner, plan },
    key,
    body: {
      url: 'https://example.com/',
      auditVersion: 'latest',
      regions,
      samples: isAuto ? 'auto' : samples,
      labels: { name: owner },
      ...(isCompared && { against: simulatedAgainst }),
    },
  });
  const early = key !== undefined && random.chance(0.1); // a DELETE while the POST is on its way
  if (early) void timeline.sleep(random.between(0, 200)).then(client.erase);
  if (key !== undefined && random.chance(0.3)) void timeline.sleep(random.between(0, 50)).then(client.create);
  await client.create();
  for (let steps = random.between(1, 5); steps > 0; steps--) {
    await timeline.sleep(random.between(0, random.chance(0.5) ? 5 * SECOND : 4 * MINUTE));
    const act = random.weighted({ ...acts, create: key === undefined ? 0 : acts.create });
    if (random.chance(0.15)) void client[act]();
    await client[act]();
  }
  if (random.chance(0.25)) {
    await timeline.sleep(random.between(10 * MINUTE, 20 * MINUTE)); // until most checks are closed
    await client.pages();
    await client.erase();
    await client.pages();
  }
};

type Inputs = { caller: { owner: string; plan: PlanName }; key: string | undefined; body: object };

const clientOf = (options: Options, accepted: Map<string, Known>, { caller, key, body }: Inputs) => {
  const { timeline, random, request, violated } = options;
  const derivedId = key === undefined ? undefined : deriveCheckId(caller.owner, key);
  const known: Known = { id: derivedId, accepted: false, deleteSent: false, deleted: false, created: 0 };
  const other = { owner: owners.find((each) => each !== caller.owner) as string, plan };
  const readers = readersOf(options, known, caller, other);
  let deletesAtWork = 0;
  let deletes = 0;
  let createsAtWork = 0;

  const create = async (): Promise<void> => {
    createsAtWork++;
    known.deleted = false;
    await tryToCreate();
    createsAtWork--;
  };

  const tryToCreate = async (): Promise<void> => {
    for (let tries = 0; tries < 4; tries++) {
      const deleteSent = () => known.deleteSent || deletesAtWork > 0;
      const answer = await request('create', {
        ...caller,
        params: {},
        headers: key === undefined ? {} : { 'idempotency-key': key },
        body,
      });
      if (answer === 'no answer' || answer.status >= 500) {
        if (key === undefined) return; // a client without a key can't know whether its check exists
        await timeline.sleep(random.between(SECOND, 20 * SECOND));
      } else if (answer.status === 429 || answer.status === 409) {
        if (answer.status === 429 && derivedId && options.hasCheck(derivedId) && !deleteSent()) {
          violated(`a repeated create got 429 although its check ${derivedId} exists`);
        }
        await timeline.sleep((answer.retryAfterSeconds ?? 0) * SECOND + random.between(0, SECOND));
      } else {
        accept(answer.status, (answer.body as { id: string }).id);
        return;
      }
    }
  };

  const accept = (status: number, id: string) => {
    known.id = id;
    if (status === 201) {
      known.created++;
      if (known.created > 1 && !known.deleteSent) violated(`two creates of check ${id} got 201`);
    }
    if (deletesAtWork > 0) return;
    known.accepted = true;
    accepted.set(id, known);
  };

  const read = async (): Promise<void> => {
    if (!known.id) return;
    const [wasAccepted, wasDeleted] = [known.accepted && !known.deleteSent, known.deleted];
    const answer = await request('get', { ...caller, params: { checkId: known.id }, headers: {} });
    if (answer === 'no answer') return;
    if (answer.status === 200) readers.judge((answer.body as Seen).runs);
    if (answer.status === 404 && wasAccepted && !known.deleteSent) violated(`GET of check ${known.id} got 404`);
    if (answer.status === 200 && wasDeleted && known.deleted) violated(`GET of erased check ${known.id} got 200`);
  };

  const erase = async (): Promise<void> => {
    if (!known.id) return;
    for (let tries = 0; tries < 4; tries++) {
      const wasAccepted = known.accepted;
      deletesAtWork++;
      deletes++;
      known.deleteSent = true;
      const answer = await request('delete', { ...caller, params: { checkId: known.id }, headers: {} });
      deletesAtWork--;
      if (answer === 'no answer' || answer.status >= 500) {
        await timeline.sleep(random.between(SECOND, 20 * SECOND));
        continue;
      }
      if (answer.status === 200) readers.judge((answer.body as Seen).runs);
      if (answer.status === 404 && wasAccepted && deletes === 1) violated(`the first DELETE of ${known.id} got 404`);
      known.deleted = createsAtWork === 0;
      known.accepted &&= createsAtWork > 0;
      if (known.deleted) readers.endLinks();
      return;
    }
  };

  const whenKnown = (act: () => Promise<void>) => async () => void (known.id && (await act()));
  const others = Object.entries(readers.acts).map(([name, act]) => [name, whenKnown(act)]);
  return { create, read, erase, ...(Object.fromEntries(others) as typeof readers.acts) };
};

/** Opens as many checks as the plan allows. Reports a refusal, because the owner has no open check. */
export const openAll = async ({ request, violated }: Options, owner: string): Promise<void> => {
  const body = { url: 'https://example.com/', auditVersion: 'latest', regions: [simulatedRegions[0]] };
  for (let i = 0; i < plans[plan].openChecks; i++) {
    const answer = await request('create', { owner, plan, params: {}, headers: {}, body });
    if (answer === 'no answer' || answer.status !== 201) {
      const status = answer === 'no answer' ? answer : answer.status;
      violated(`a count was not given back: ${owner} has no open check, and create ${i + 1} got ${status}`);
    }
  }
};

/** Creates more checks at once than the plan allows. `usage-promises.ts` judges what is counted. */
const burst = async ({ timeline, random, request }: Options): Promise<void> => {
  await timeline.sleep(random.between(0, 8 * MINUTE));
  const body = { url: 'https://example.com/', auditVersion: 'latest', regions: [...simulatedRegions] };
  const owner = random.pick(owners);
  const creates = Array.from({ length: 2 * plans[plan].openChecks }, () =>
    request('create', { owner, plan, params: {}, headers: {}, body }),
  );
  await Promise.all(creates);
};
