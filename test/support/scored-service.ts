import { randomUUID } from 'node:crypto';
import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import { checkWith, failed, resultOf, samplesOf, succeeded } from './check-results.ts';
import { judgedShort, startFakeService } from './fake-service.ts';

/** Returns what a page of this path gets: a score from its path, such as /70, or a failure. */
export const runOf = (url: string) => {
  const score = Number(/\d+$/.exec(url.split('?')[0] ?? '')?.[0]);
  if (Number.isNaN(score)) return failed('http-error');
  return succeeded(samplesOf('unchanged', 0, 5).map((sample) => ({ ...sample, performance: score })));
};

type Answers = Parameters<typeof startFakeService>[0];

/** Starts a service that audits at once. It refuses pages of other hosts, and says how many checks were unfinished at once. */
export const startScoredService = async (answers: Answers = {}) => {
  const checks = new Map<string, CheckView>();
  const bodies: CreateCheckBody[] = [];
  let [unfinished, most] = [0, 0];
  const service = await startFakeService({
    create: async (_, sent) => {
      const body = sent as CreateCheckBody;
      if (body.url.includes('refused')) return 'refused-url';
      bodies.push(body);
      unfinished += 1;
      most = Math.max(most, unfinished);
      const id = randomUUID();
      const { url, labels = {}, device = 'mobile' } = body;
      const check = checkWith({ 'us-west1': runOf(url) }, { id, url, labels, device });
      const runs = check.runs.map((run) => ({
        ...run,
        id: randomUUID(),
        report: run.state === 'succeeded' ? 'key' : null,
      }));
      const judged = body.assertions && (await judgedShort(body.assertions));
      const { check: view } = resultOf({ ...check, runs }, judged);
      checks.set(id, view);
      return { ...view, state: 'created' };
    },
    get: ({ pathname }) => {
      unfinished -= 1;
      return checks.get(pathname.split('/').at(-1) ?? '');
    },
    ...answers,
  });
  return { ...service, bodies, checks, most: () => most };
};
