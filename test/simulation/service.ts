import { withDeadline } from '../../functions/lib/aws-client.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { deadLetterSettings, queueSettings } from '../../infra/settings.ts';
import { ApiProblemError, apiProblems } from '../../shared/problems.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { returnAfterSeconds } from '../../shared/service/due-times.ts';
import { functionRows } from '../../shared/service/functions.ts';
import type { Caller } from '../../shared/service/keys.ts';
import type { Defect } from './defects/defect.ts';
import type { Faults } from './faults.ts';
import { deadLettersUrlOf, type Functions, functionsOf, openParts, queueUrlOf, simulatedRegions } from './functions.ts';
import type { Random } from './random.ts';
import { MAX_CLOCK_OFFSET_MS } from './run-promises.ts';
import type { Audits } from './simulated-auditors.ts';
import { type Message, type SimulatedQueue, simulatedQueue } from './simulated-queue.ts';
import { contexts, SimProcess, type Timeline } from './timeline.ts';

type Options = {
  timeline: Timeline;
  random: Random;
  faults: Faults;
  trace: (text: string) => void;
  violated: (what: string) => void;
  /** Returns the time at which the next open item is due, by the wall clock. */
  nextDueAt: () => number;
  defect: Defect | undefined;
  /** Gets the audits of each invocation. */
  audits: Audits;
};
type Instance = { process: SimProcess; functions: Functions; stop: () => void; busy: number };
type Outcome<T> = { value: T } | { error: unknown } | 'died';
/** `no answer`: the process died, or the request timed out. */
export type ApiAnswer = { status: number; body?: unknown; retryAfterSeconds?: number } | 'no answer';
export type ApiName = 'create' | 'get' | 'delete' | 'list' | 'series' | 'pages' | 'share' | 'revoke';
export type ApiRequest<By extends Caller = Caller> = By &
  Pick<Request, 'params' | 'headers'> &
  Partial<Pick<Request, 'path' | 'rawQuery' | 'host'>> & { body?: object };

const MINUTE = 60_000;
const WORKERS_PER_REGION = 2;
const AUDITS_PER_WORKER = 2;

/** Runs the functions in simulated processes: an API, the workers of each region, the sweeper. */
export const startService = (options: Options) => {
  const { timeline, random, faults, trace } = options;
  const seconds = random.pick([90, 600, queueSettings.visibilitySeconds]);
  const queueOf = (visibilitySeconds: number, maxReceives?: number) =>
    simulatedQueue({ timeline, random, visibilityMs: visibilitySeconds * 1000, ...(maxReceives && { maxReceives }) });
  const lanes = simulatedRegions.map((region) => ({
    region,
    jobs: queueOf(seconds, queueSettings.maxReceiveCount),
    deadLetters: queueOf(deadLetterSettings.visibilitySeconds),
    workers: [] as Instance[],
  }));
  const deadLettersOf = (queueUrl: string) =>
    lanes.find(({ region }) => deadLettersUrlOf(region) === queueUrl)?.deadLetters;
  const idleApi: Instance[] = [];
  const idleSweepers: Instance[] = [];
  let processes = 0;

  const start = (kind: string): Instance => {
    const process = new SimProcess(`${kind}-${++processes}`);
    if (faults.happens(0.03)) process.clockOffset = random.between(-MAX_CLOCK_OFFSET_MS, MAX_CLOCK_OFFSET_MS);
    return contexts.run({ process, invocation: {} }, () => {
      const stopping = new AbortController();
      const parts = openParts();
      options.defect?.wrap?.(parts);
      return {
        process,
        functions: functionsOf(parts, random, options.audits, stopping.signal),
        stop: () => stopping.abort(),
        busy: 0,
      };
    });
  };

  /** Runs an invocation. Kills its process after the timeout, as Lambda does. */
  const invoke = <T>({ process }: Instance, timeoutSeconds: number, run: () => Promise<T>): Promise<Outcome<T>> =>
    new Promise((resolve) => {
      const timeout = timeline.after(timeoutSeconds * 1000, () => {
        trace(`${process.name} timed out`);
        process.kill();
      });
      const end = (outcome: Outcome<T>) => {
        timeline.cancel(timeout);
        resolve(outcome);
      };
      process.onDeath(() => end('died'));
      contexts.run({ process, invocation: {} }, () =>
        run().then(
          (value) => end({ value }),
          (error) => end({ error }),
        ),
      );
    });

  const request = async (name: ApiName, input: ApiRequest): Promise<ApiAnswer> => {
    const instance = takeIdle(idleApi) ?? start('api');
    const call = {
      body: undefined as never,
      method: 'POST',
      path: '/',
      query: {},
      requestId: random.uuid(),
      ...(input as object),
    } as never;
    trace(`client: ${name} ${input.params.checkId ?? input.headers['idempotency-key'] ?? ''}`);
    const { timeoutSeconds } = functionRows[name === 'get' ? 'wait-check' : 'create-check'];
    const outcome = await invoke(instance, timeoutSeconds, () =>
      withDeadline(0.8 * timeoutSeconds * 1000, () => instance.functions[name](call)),
    );
    idleApi.push(instance);
    const answer = answerOf(outcome, options.violated);
    trace(`client: ${name} answered ${answer === 'no answer' ? answer : answer.status}`);
    return answer;
  };

  const work = async (instance: Instance, queue: SimulatedQueue, message: Message) => {
    instance.busy++;
    const { timeoutSeconds } = functionRows['run-audit'];
    const endsAt = timeline.now() + timeoutSeconds * 1000;
    const job = AuditJob.parse(JSON.parse(message.body));
    trace(`${instance.process.name} received ${job.runId}`);
    if (faults.happens(0.03)) timeline.after(random.between(1, 2000), () => queue.show(message));
    const outcome = await invoke(instance, timeoutSeconds, () =>
      instance.functions.audit(job, () => endsAt - timeline.now()),
    );
    instance.busy--;
    trace(`${instance.process.name} ended ${job.runId}: ${describe(outcome)}`);
    if (outcome === 'died') return;
    if ('error' in outcome) timeline.after(returnAfterSeconds(message.receives) * 1000, () => queue.show(message));
    else if (!faults.happens(0.03)) queue.delete(message);
  };

  let sweeps = 0;
  const runSweep = async (event: Parameters<Functions['sweep']>[0]) => {
    sweeps++;
    const instance = takeIdle(idleSweepers) ?? start('sweeper');
    const outcome = await invoke(instance, functionRows.sweep.timeoutSeconds, () => instance.functions.sweep(event));
    idleSweepers.push(instance);
    trace(`${instance.process.name} ended: ${describe(outcome)}`);
  };

  const everyMinute = () => {
    timeline.after(MINUTE, everyMinute);
    const isLetterVisible = lanes.some(({ deadLetters }) => deadLetters.count().visible > 0);
    if (isLetterVisible || options.nextDueAt() <= timeline.wallNow() + MAX_CLOCK_OFFSET_MS) {
      void runSweep({});
      if (faults.happens(0.15)) timeline.after(random.between(0, 500), () => void runSweep({}));
    }
    if (faults.happens(0.01)) void runSweep({ wake: 'all' });
    if (faults.happens(0.02)) timeline.stepWallClock(random.between(-10 * MINUTE, 10 * MINUTE));
    for (const { jobs, workers } of lanes) {
      if (faults.happens(0.005)) jobs.purge();
      for (const worker of workers) {
        if (faults.happens(0.01)) timeline.after(random.between(0, MINUTE), () => worker.process.kill());
        if (faults.happens(0.01)) stopWorker(worker);
      }
    }
  };
  const stopWorker = (worker: Instance) => {
    trace(`${worker.process.name} is being stopped`);
    worker.busy = AUDITS_PER_WORKER; // it receives no more
    contexts.run({ process: worker.process, invocation: {} }, worker.stop);
    timeline.after(5000, () => worker.process.kill());
  };
  timeline.after(MINUTE, everyMinute);

  return {
    request,
    /** Accepts a message that a function has sent. */
    onMessage: (queueUrl: string, body: string): void => {
      const lane = lanes.find(({ region }) => queueUrlOf(region) === queueUrl);
      const fault = faults.ofMessage();
      if (fault) trace(`message ${fault}`);
      if (fault === 'lost') return;
      const delay = () => random.between(5, 500) + (fault === 'delayed' ? random.between(0, 15 * MINUTE) : 0);
      for (let copies = fault === 'doubled' ? 2 : 1; copies > 0; copies--) {
        const ms = delay();
        lane?.jobs.send(body, ms);
        timeline.after(ms, () => {}); // so that `deliver` runs then
      }
    },
    /** Gives the sweeper a dead letter, whose receipt is its id. */
    receiveDeadLetter: (queueUrl: string): Message | undefined => deadLettersOf(queueUrl)?.receive(),
    removeDeadLetter: (queueUrl: string, id: number): void => deadLettersOf(queueUrl)?.delete({ id }),
    queueAttributes: (queueUrl: string): Record<string, string> => {
      const { visible, received } = lanes.find(({ region }) => queueUrlOf(region) === queueUrl)?.jobs.count() ?? {};
      return {
        ApproximateNumberOfMessages: `${visible}`,
        ApproximateNumberOfMessagesDelayed: '0',
        ApproximateNumberOfMessagesNotVisible: `${received}`,
      };
    },
    /** Starts the missing workers, and gives them the visible messages. */
    deliver: (): void => {
      for (const { region, jobs, deadLetters, workers } of lanes) {
        for (let i = 0; i < WORKERS_PER_REGION; i++) {
          if (!workers[i] || workers[i]?.process.dead) workers[i] = start(`worker-${region}`);
          const worker = workers[i] as Instance;
          while (worker.busy < AUDITS_PER_WORKER && worker.process.stalledUntil <= timeline.now()) {
            const message = jobs.receive();
            if (!message) break;
            void work(worker, jobs, message);
          }
        }
        for (const body of jobs.deadLetters.splice(0)) deadLetters.send(body);
      }
    },
    /** Returns the number of sweeps so far. */
    sweeps: (): number => sweeps,
    /** Returns true if the sweeper has not yet handled a dead letter. */
    hasDeadLetter: (): boolean =>
      lanes.some(({ deadLetters }) => Object.values(deadLetters.count()).some((count) => count > 0)),
    isIdle: (): boolean => lanes.every(({ workers }) => workers.every(({ busy }) => busy === 0)),
  };
};
export type Service = ReturnType<typeof startService>;

const takeIdle = (idle: Instance[]): Instance | undefined => {
  const instance = idle.pop();
  return instance?.process.dead ? takeIdle(idle) : instance;
};

const describe = (outcome: Outcome<unknown>): string => {
  if (outcome === 'died') return 'died';
  return 'value' in outcome ? 'done' : `failed: ${outcome.error}`;
};

/** Turns the outcome of an invocation into the answer that the HTTP edge gives. Reports an error that no fault explains. */
const answerOf = (
  outcome: Outcome<{ status: number; body?: unknown }>,
  violated: (what: string) => void,
): ApiAnswer => {
  if (outcome === 'died') return 'no answer';
  if ('value' in outcome) return outcome.value;
  const { error } = outcome;
  if (error instanceof ApiProblemError) {
    return { status: apiProblems[error.code].status, retryAfterSeconds: Number(error.headers['retry-after'] ?? 0) };
  }
  const { name, $metadata } = error as { name: string; $metadata?: object };
  if (!/^(Timeout|Abort)Error$/.test(name) && !$metadata)
    violated(`a request failed without a reason: ${(error as Error).stack}`);
  return { status: 503 };
};
