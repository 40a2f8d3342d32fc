import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type Received = { headers: IncomingHttpHeaders; body: string; path: string };
type Answer = number | ((response: ServerResponse, received: Received) => void);

/** Starts a receiver of webhooks on loopback. `answer` is a status, or writes the answer. */
export const startReceiver = async (answer: Answer = 204) => {
  const received: Received[] = [];
  let current = answer;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { headers: request.headers, body, path: request.url ?? '' };
    received.push(one);
    if (typeof current === 'function') current(response, one);
    else response.writeHead(current).end('seen');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: (next: Answer) => {
      current = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Returns the payload of a delivery. Throws if its signature is wrong, or if it is too old. */
export const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
