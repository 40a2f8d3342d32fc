import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

/** Returns the context that Lambda passes to a function with each event. */
export const lambdaContext = (functionName: string, timeoutSeconds: number): Context => {
  const deadline = performance.now() + timeoutSeconds * 1000;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-west-2:000000000000:function:${functionName}`,
    memoryLimitInMB: '3538',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(deadline - performance.now())),
    done() {},
    fail() {},
    succeed() {},
  };
};
