import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  DeleteMessageCommand,
  ListDeadLetterSourceQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

/** A function of the environment, called with its event. */
type Functions = Record<string, (event: never) => Promise<unknown>>;

/**
 * Starts a server in front of moto's. It runs the functions of an environment, for which moto needs Docker, and moves dead
 * letters, which moto can't. Everything else is moto's.
 */
export const startFront = async (moto: string, functions: Functions) => {
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => answer(response, 500, { message: String(error) }));
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, invoked] = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? '') ?? [];
    if (invoked) return invoke(invoked, JSON.parse((await text(request)) || '{}'), response);
    if (request.headers['x-amz-target'] === 'AmazonSQS.StartMessageMoveTask')
      return answer(response, 200, await moveMessages(JSON.parse(await text(request)).SourceArn));
    const { method, url, headers } = request;
    const passed = requestOf(new URL(url ?? '/', moto), { method, headers }); // with the Host, which is in URLs of queues
    request.pipe(passed);
    const [answered] = (await once(passed, 'response')) as [IncomingMessage];
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  };
  const invoke = async (name: string, event: unknown, response: ServerResponse): Promise<void> => {
    const handler = functions[name];
    if (!handler) return answer(response, 404, { Type: 'User', Message: `Function not found: ${name}` });
    try {
      answer(response, 200, (await handler(event as never)) ?? null);
    } catch (error) {
      response.setHeader('x-amz-function-error', 'Unhandled');
      answer(response, 200, { errorMessage: (error as Error).message });
    }
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const answer = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Moves the messages of a dead-letter queue to the queue that it belongs to. */
const moveMessages = async (arn: string) => {
  const [, , , region = '', account, name] = arn.split(':');
  const sqs = new SQSClient({ region });
  const QueueUrl = `${process.env.AWS_ENDPOINT_URL}/${account}/${name}`;
  const { queueUrls: [source] = [] } = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl }));
  if (!source) throw new Error(`${arn} is no queue of dead letters.`);
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { Body, ReceiptHandle } of Messages) {
    await sqs.send(new SendMessageCommand({ QueueUrl: source, MessageBody: Body }));
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
  return { TaskHandle: arn };
};
