import { parentPort } from 'node:worker_threads';
import { ApiProblemError } from '../../../shared/problems.ts';
import { bufferOf, buffersIn } from './buffers.ts';
import type { Answer, Order } from './in-thread.ts';
import { tasks } from './tasks.ts';

/*
 * The thread that reads large reports. It answers each order with the value of its task, or with the problem or the error
 * that the task has thrown.
 */
const answerTo = async ({ id, name, input: [bytes, ...more] }: Order): Promise<Answer> => {
  try {
    const read = [bytes, ...more].map((each) => (each instanceof Uint8Array ? bufferOf(each) : each)); // a message has no Buffer
    return { id, value: await (tasks[name] as (...sent: unknown[]) => unknown)(...read) };
  } catch (error) {
    if (!(error instanceof ApiProblemError)) return { id, error };
    const { code, message: detail, errors, headers } = error;
    return { id, problem: { code, detail, headers, ...(errors && { errors }) } };
  }
};

parentPort?.on('message', async (order: Order) => {
  const answer = await answerTo(order);
  parentPort?.postMessage(answer, buffersIn(answer));
});
