import type { Context } from 'aws-lambda';

/** Messages to and from the sandbox, in place of Lambda's runtime API. */
export type Invocation = { event: unknown; timeoutSeconds: number };
export type Outcome = { initMs: number } | { answer: unknown } | { error: string };

/*
 * Replaces Lambda's Node.js runtime inside the sandbox. Imports the handler that `_HANDLER` names, then handles events.
 */
const send = (outcome: Outcome) => process.send?.(outcome);

const startedAt = performance.now();
const [file, name] = (process.env._HANDLER as string).split('.') as [string, string];
const { [name]: handler } = await import(`${process.env.LAMBDA_TASK_ROOT}/${file}.mjs`);

process.on('message', async ({ event, timeoutSeconds }: Invocation) => {
  const deadline = Date.now() + timeoutSeconds * 1000;
  const context: Partial<Context> = {
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME as string,
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    send({ answer: await handler(event, context) });
  } catch (error) {
    send({ error: String((error as Error).stack ?? error) });
  }
});
process.once('disconnect', () => process.exit());
send({ initMs: performance.now() - startedAt });
