import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = { status: number; value: unknown; link?: string | undefined };
type Comment = { id: number; body: string; user: { type: string } };

const MAX_COMMENT_LENGTH = 65_536;

/** GitHub's API, as far as the action uses it, with the repository me/shop. */
export class FakeGitHub {
  /** Comments of each pull request. */
  comments: Record<number, Comment[]> = {};
  /** Answers by path, with the query that GitHub would filter by. */
  answers: Record<string, unknown> = {};
  /** The next answers, in place of the right ones. `after` does the work of the request first. */
  failures: { status: number; after?: boolean }[] = [];
  requests: string[] = [];

  readonly #server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    this.requests.push(`${method} ${url}`);
    const failure = this.failures.shift();
    const isAllowed = headers.authorization === 'token ghs_token';
    const isRefused = !isAllowed || (failure && !failure.after);
    const { status, value, link } = isRefused
      ? { status: 401, value: {} }
      : this.#answer(method, new URL(url, 'http://github'), body && JSON.parse(body).body);
    response.setHeader('content-type', 'application/json');
    if (link) response.setHeader('link', link);
    response.writeHead(failure?.status ?? status).end(JSON.stringify(value));
  });

  static async start(): Promise<FakeGitHub> {
    const fake = new FakeGitHub();
    await once(fake.#server.listen(0, '127.0.0.1'), 'listening');
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(method: string, { pathname, search, searchParams }: URL, body: string): Answer {
    const path = pathname.replace('/repos/me/shop', '');
    const known = this.answers[path + search] ?? this.answers[path];
    if (method === 'GET' && known) return { status: 200, value: known };
    const [, pull] = /^\/issues\/(\d+)\/comments$/.exec(path) ?? [];
    const comments = this.comments[Number(pull)] ?? [];
    const page = Number(searchParams.get('page') ?? 1);
    if (method === 'GET' && pull) {
      const next = `<${this.url}${pathname}?per_page=100&page=${page + 1}>; rel="next"`;
      const link = comments.length > page * 100 ? next : undefined;
      return { status: 200, value: comments.slice((page - 1) * 100, page * 100), link };
    }
    if (body && body.length > MAX_COMMENT_LENGTH) return { status: 422, value: {} };
    if (method === 'POST' && pull && body) {
      this.comments[Number(pull)] = [...comments, { id: 500 + comments.length, body, user: { type: 'Bot' } }];
      return { status: 201, value: {} };
    }
    const [, id] = /^\/issues\/comments\/(\d+)$/.exec(path) ?? [];
    const found = Object.values(this.comments)
      .flat()
      .find((each) => each.id === Number(id));
    if (method !== 'PATCH' || !found) return { status: 404, value: {} };
    found.body = body;
    return { status: 200, value: {} };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
