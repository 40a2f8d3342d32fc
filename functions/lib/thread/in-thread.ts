import { Worker } from 'node:worker_threads';
import { type ApiProblemCode, ApiProblemError, type InputError } from '../../../shared/problems.ts';
import { type TaskName, type Tasks, tasks } from './tasks.ts';

/** Inputs that are handled at once, in bytes. Larger ones would hold the event loop. */
const SMALL_BYTES = 8 * 1024;

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

let thread: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, PromiseWithResolvers<unknown>>();

/** Runs a task on the bytes of a report. A large report is handled in a thread, so that the process answers meanwhile. */
export const inThread = async <Name extends TaskName>(
  name: Name,
  ...input: Parameters<Tasks[Name]>
): Promise<Awaited<ReturnType<Tasks[Name]>>> => {
  type Result = Awaited<ReturnType<Tasks[Name]>>;
  if (isDeployed || input[0].length <= SMALL_BYTES)
    return (await (tasks[name] as (...sent: typeof input) => unknown)(...input)) as Result;
  thread ??= startThread();
  thread.ref(); // until the answer
  const id = ++lastId;
  const answer = Promise.withResolvers<unknown>();
  waiting.set(id, answer);
  thread.postMessage({ id, name, input } satisfies Order);
  return (await answer.promise) as Result;
};

const startThread = (): Worker => {
  const started = new Worker(module);
  started.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) started.unref();
    if ('value' in answer) asked?.resolve(answer.value);
    else asked?.reject('problem' in answer ? problemFrom(answer.problem) : answer.error);
  });
  const end = (error: unknown) => {
    if (thread === started) thread = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  started.on('error', end);
  started.on('exit', (code) => end(new Error(`The thread that reads reports exited with ${code}`)));
  return started;
};

const problemFrom = ({ code, detail, ...more }: Extract<Answer, { problem: unknown }>['problem']) =>
  new ApiProblemError(code, detail, more);
