import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Credentials, isPresigned, isSigned } from './signature.ts';

type Options = { service: 'dynamodb' | 's3' | 'sqs'; credentials: Credentials };

/**
 * Lets an embedded engine see only the requests that the service's own clients have signed, and presigned reads of one
 * object. The engines check no signature themselves. Without the guard, every user of the machine and every web page in a
 * browser on it could read and write all data.
 */
export const guardEngine = (server: Server, signer: Options): void => {
  const engine = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const presigned = isPresigned(request, signer);
    if (!isLocal(request) || !(presigned || (!isFromPage(request) && isSigned(request, signer))))
      return refuse(response);
    if (presigned) response.setHeader('access-control-allow-origin', '*'); // as the bucket on AWS, for report pages
    for (const listener of engine) listener.call(server, request, response);
  });
};

/** A name that leads to this machine is refused: a web page could have bound its own name to 127.0.0.1. */
const isLocal = ({ headers }: IncomingMessage): boolean => /^127\.0\.0\.1(:\d+)?$/.test(headers.host ?? '');

const isFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';

/** Answers in the form that the SDK's JSON clients read. Reads no body. */
const refuse = (response: ServerResponse): void => {
  const message = 'This port serves the page audit service only, and the request lacks its signature. Use the API.';
  response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException', message }));
};
