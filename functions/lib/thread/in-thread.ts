import { Worker } from 'node:worker_threads';
import { type ApiProblemCode, ApiProblemError, type InputError } from '../../../shared/problems.ts';
import { log } from '../log.ts';
import { buffersIn } from './buffers.ts';
import type { TaskName, Tasks } from './tasks.ts';

/** Inputs that are handled at once, in bytes. Larger ones would hold the event loop, and so may packed ones of any size. */
const SMALL_BYTES = 8 * 1024;
const isSmall = (bytes: Buffer): boolean => bytes.length <= SMALL_BYTES && !isPacked(bytes);
const isPacked = ([first, second]: Buffer): boolean => first === 0x1f && second === 0x8b; // how gzip begins

/** A task for the thread, and the answer to it. */
export type Order = { id: number; name: TaskName; input: Parameters<Tasks[TaskName]> };
export type Answer = { id: number } & (
  | { value: unknown }
  | { problem: { code: ApiProblemCode; detail: string; errors?: InputError[]; headers: Record<string, string> } }
  | { error: unknown }
);

/** A deployed function answers one request at a time, so its bundle has no thread. */
const isDeployed = !import.meta.filename.endsWith('.ts');
const module = new URL('./thread.ts', import.meta.url);

/** Heap of the thread, in MiB. The largest upload needs a fifth of it. */
const HEAP_MIB = 1024;

type Thread = { worker: Worker; waiting: Map<number, PromiseWithResolvers<unknown>> };
let thread: Thread | undefined;
let lastId = 0;

/**
 * Runs a task on the bytes of a report. A large report is handled in a thread, so that the process answers meanwhile. The
 * thread takes the bytes, so the caller has them no more. A deployed function runs the task itself, and has no other one.
 */
export const inThread = async <Name extends TaskName>(
  task: Pick<Tasks, Name>,
  ...input: Parameters<Tasks[Name]>
): Promise<Awaited<ReturnType<Tasks[Name]>>> => {
  type Result = Awaited<ReturnType<Tasks[Name]>>;
  const [[name, run]] = Object.entries(task) as [[Name, (...sent: typeof input) => Result]];
  if (isDeployed || isSmall(input[0])) return await run(...input);
  thread ??= startThread();
  const { worker, waiting } = thread;
  worker.ref(); // until the answer
  const id = ++lastId;
  const answer = Promise.withResolvers<unknown>();
  waiting.set(id, answer);
  worker.postMessage({ id, name, input } satisfies Order, buffersIn(input));
  return (await answer.promise) as Result;
};

const startThread = (): Thread => {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  const started: Thread = { worker, waiting: new Map() };
  const { waiting } = started;
  worker.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ('value' in answer) asked?.resolve(answer.value);
    else asked?.reject('problem' in answer ? problemFrom(answer.problem) : answer.error);
  });
  worker.on('error', (error) => log.error('The thread that reads reports failed.', { error: error as Error }));
  worker.on('exit', () => {
    if (thread === started) thread = undefined;
    for (const { reject } of waiting.values()) reject(ended());
  });
  return started;
};

/** Answer to the requests of a thread that ended. Another request may have used up its memory. */
const ended = () =>
  new ApiProblemError('unavailable', 'The service could not read the report. Send the request again in 5 s.', {
    headers: { 'retry-after': '5' },
  });

const problemFrom = ({ code, detail, ...more }: Extract<Answer, { problem: unknown }>['problem']) =>
  new ApiProblemError(code, detail, more);
