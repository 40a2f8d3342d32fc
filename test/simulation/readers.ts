import type { RunState } from '../../shared/run.ts';
import type { OwnerCaller } from '../../shared/service/keys.ts';
import { isFinished } from '../../shared/states.ts';
import type { Known, Options } from './clients.ts';
import type { ApiAnswer, ApiRequest } from './service.ts';

type Page = Seen['runs'][number] & { checkId: string; region: string; createdAt: string };
export type Seen = { id: string; state: string; runs: { id: string; state: RunState; performance: number | null }[] };

const WAIT_SECONDS = 20;
const SECOND = 1000;

const isAnswer = (answer: ApiAnswer): answer is Exclude<ApiAnswer, 'no answer'> =>
  answer !== 'no answer' && answer.status < 500 && answer.status !== 429;
const bodyOf = <Body>({ body }: Exclude<ApiAnswer, 'no answer'>): Body => body as Body;

/** Returns what the client of a check does besides creating, reading and erasing it, and judges the answers. */
export const readersOf = (options: Options, known: Known, caller: OwnerCaller, other: OwnerCaller) => {
  const { timeline, random, request, images, ownerOf, violated } = options;
  const links = { tokens: [] as string[], dead: [] as string[], atWork: 0, revokes: 0 };
  const isThere = () => known.accepted && !known.deleteSent;
  const ask = (name: Parameters<typeof request>[0], more: Partial<ApiRequest<OwnerCaller>> = {}) =>
    request(name, { ...caller, params: { checkId: known.id as string }, headers: {}, ...more });

  const wait = async (): Promise<void> => {
    const startedAt = timeline.now();
    const answer = await ask('get', { headers: { prefer: `wait=${WAIT_SECONDS}` } });
    if (!isAnswer(answer) || answer.status !== 200) return;
    const { runs, state } = bodyOf<Seen>(answer);
    const seconds = (timeline.now() - startedAt) / SECOND;
    const finished = runs.every((run) => isFinished(run.state));
    if (!finished && seconds < WAIT_SECONDS)
      violated(`a wait for ${known.id} ended after ${seconds} s in state ${state}`);
    judge(runs);
  };

  /** Compares finished runs with the table. They don't change any more. */
  const judge = (runs: Seen['runs']) => {
    for (const { id, state, performance } of runs) {
      const run = images.get(`CHECK#${known.id} RUN#${id}`);
      if (!run || !isFinished(state)) continue;
      if (run.state !== state || (run.performance ?? null) !== performance)
        violated(`an answer shows ${state} and ${performance} of run ${id}`);
    }
  };

  const list = async (): Promise<void> => {
    const [wasThere, wasDeleted] = [isThere(), known.deleted];
    const limit = random.pick([2, 100]);
    const found: Seen[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const rawQuery: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const answer = await ask('list', { rawQuery, path: '/v1/checks', params: {} });
      if (!isAnswer(answer)) return;
      const page = bodyOf<{ checks: Seen[]; nextCursor: string | null }>(answer);
      found.push(...page.checks);
      cursor = page.nextCursor;
    }
    const own = found.find(({ id }) => id === known.id);
    if (!own && wasThere && isThere()) violated(`the list of ${caller.owner} lacks the check ${known.id}`);
    if (own && wasDeleted && known.deleted) violated(`the list of ${caller.owner} has the erased check ${known.id}`);
    if (own) judge(own.runs);
    onlyOwn(found.map(({ id }) => id));
  };

  const onlyOwn = (ids: string[]) => {
    const foreign = ids.find((id) => (ownerOf(id) ?? caller.owner) !== caller.owner);
    if (foreign) violated(`a list of ${caller.owner} has the check ${foreign} of another owner`);
  };

  const series = async (): Promise<void> => {
    const isClosed = () => isThere() && Boolean(images.get(`CHECK#${known.id} CHECK`)?.completedAt);
    const wasClosed = isClosed();
    const rawQuery = 'url=https://example.com/&limit=100';
    const answer = await ask('series', { rawQuery, path: '/v1/runs', params: {} });
    if (!isAnswer(answer)) return;
    const { runs } = bodyOf<{ runs: (Seen['runs'][number] & { checkId: string })[] }>(answer);
    const own = runs.filter(({ checkId }) => checkId === known.id);
    if (wasClosed && isClosed() && own.length === 0)
      violated(`the series of ${caller.owner} lacks the check ${known.id}`);
    judge(own);
    onlyOwn(runs.map(({ checkId }) => checkId));
  };

  const pages = async (): Promise<void> => {
    const isClosed = () => isThere() && Boolean(images.get(`CHECK#${known.id} CHECK`)?.completedAt);
    const wasClosed = isClosed();
    const limit = random.pick([1, 100]);
    const found: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const rawQuery: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const answer = await ask('pages', { rawQuery, path: '/v1/pages', params: {} });
      if (!isAnswer(answer)) return;
      const page = bodyOf<{ pages: { results: Page[] }[]; nextCursor: string | null }>(answer);
      found.push(...page.pages.flatMap(({ results }) => results));
      cursor = page.nextCursor;
    }
    judge(found.filter(({ checkId }) => checkId === known.id));
    onlyOwn(found.map(({ checkId }) => checkId));
    if (limit === 1 || !wasClosed || !isClosed()) return; // a page may move past a cursor
    const { runIds } = images.get(`CHECK#${known.id} CHECK`) as unknown as { runIds: string[] };
    for (const id of runIds) {
      const run = images.get(`CHECK#${known.id} RUN#${id}`) as unknown as Page;
      const newest = found.find((page) => page.region === run.region);
      if (!newest || newest.createdAt < run.createdAt) violated(`the pages of ${caller.owner} lack the run ${id}`);
    }
  };

  const share = async (): Promise<void> => {
    const { revokes } = links;
    links.atWork++;
    const answer = await ask('share', { path: '/', host: 'localhost' });
    links.atWork--;
    if (!isAnswer(answer) || answer.status !== 201) return;
    const token = new URL(bodyOf<{ url: string }>(answer).url).hash.replace('#share=', '');
    if (links.revokes === revokes && isThere()) links.tokens.push(token);
    await readShared();
  };

  const readShared = async (): Promise<void> => {
    const [token, dead] = [links.tokens.at(-1), links.dead.at(-1)];
    const [{ revokes }, wasThere] = [links, isThere()];
    if (token && wasThere) {
      const answer = await readWith(token);
      if (isAnswer(answer) && answer.status === 404 && isThere() && links.revokes === revokes)
        violated(`a link of ${known.id} shows nothing`);
    }
    if (dead) {
      const answer = await readWith(dead);
      if (isAnswer(answer) && answer.status === 200) violated(`a dead link shows ${known.id}`);
    }
  };
  const readWith = (token: string) =>
    request('get', { reader: known.id as string, token, params: { checkId: known.id }, headers: {} });

  /** Ends the links, by a revocation or by the erasure of the check. */
  const end = () => {
    links.revokes++;
    links.dead.push(...links.tokens.splice(0));
  };

  const revoke = async (): Promise<void> => {
    const [{ atWork }, wasThere] = [links, isThere()];
    links.revokes++;
    const answer = await ask('revoke');
    if (isAnswer(answer) && answer.status === 404 && wasThere && isThere())
      violated(`a revocation of ${known.id} got 404`);
    if (isAnswer(answer) && answer.status === 204 && atWork + links.atWork === 0) end();
    else links.tokens.splice(0); // nobody knows whether they work
    await readShared();
  };

  /** Asks for the check with the key of another owner. */
  const intrude = async (): Promise<void> => {
    const name = random.pick(['get', 'delete', 'share', 'revoke'] as const);
    const answer = await ask(name, { ...other, path: '/', host: 'localhost' });
    if (isAnswer(answer) && answer.status !== 404)
      violated(`${name} of ${known.id} by ${other.owner} got ${answer.status}`);
  };

  return { judge, acts: { wait, list, series, pages, share, revoke, intrude }, endLinks: end };
};
