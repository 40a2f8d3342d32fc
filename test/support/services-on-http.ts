import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Handle } from '../../infra/local/in-process.ts';

type Services = { handle: Handle; env: Record<string, string> };

/** Lets another process use the services of this one, as it would use AWS. `env` has its variables. */
export const serveOnHttp = async ({ handle, env }: Services) => {
  const server = createServer(async (incoming, answer) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://127.0.0.1');
    const gone = new AbortController();
    answer.on('close', () => gone.abort());
    const request = {
      method: incoming.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: incoming.headers as Record<string, string>,
      body: await buffer(incoming),
    };
    const { response } = await handle(request, { abortSignal: gone.signal }).catch(() => ({
      response: { statusCode: 500, headers: {}, body: undefined },
    }));
    answer.writeHead(response.statusCode, response.headers);
    if (response.body === undefined || request.method === 'HEAD') return answer.end();
    answer.end(response.body instanceof Uint8Array ? response.body : await buffer(response.body as never));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      ...Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value.replaceAll('http://in-process', url)]),
      ),
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_CONFIG_FILE: '/dev/null',
    } as Record<string, string>,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
