import type { Context } from 'aws-lambda';

/** What the sandbox is told and tells, in the place of Lambda's runtime API. */
export type Invocation = { event: unknown; timeoutSeconds: number };
export type Outcome = { initMs: number } | { answer: unknown } | { error: string };

/*
 * Stands in for Lambda's Node.js runtime, inside the sandbox: imports the handler that the template names, then answers one
 * event after the other.
 */
const tell = (outcome: Outcome) => process.send?.(outcome);

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
    tell({ answer: await handler(event, context) });
  } catch (error) {
    tell({ error: String((error as Error).stack ?? error) });
  }
});
process.once('disconnect', () => process.exit());
tell({ initMs: performance.now() - startedAt });
