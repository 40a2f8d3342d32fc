import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a server on loopback that answers every request with this function, and records the requests. */
export const startOddServer = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
};

/** Returns a function that answers with this status, content type and body. */
export const answering =
  (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
