import { once } from 'node:events';
import { BlockList, connect, isIP, isIPv6, Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToUnicode } from 'node:url';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openEgressProxy } from '../../functions/auditor/egress/proxy.ts';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { getCheck } from '../../functions/get-check.ts';
import { getReport } from '../../functions/get-report.ts';
import { getRun } from '../../functions/get-run.ts';
import { keyring } from '../../functions/lib/http/access.ts';
import { http } from '../../functions/lib/http/endpoint.ts';
import { refusalOf, refusalOfHost } from '../../functions/lib/public-addresses.ts';
import { queue } from '../../functions/lib/queue/consumer.ts';
import { forLog, redacted, withoutSecrets } from '../../functions/lib/redact.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { noRoute } from '../../functions/no-route.ts';
import { startGateway } from '../../infra/local/gateway.ts';
import { AuditJob } from '../../shared/audit-job.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { CreateCheckBody } from '../../shared/check.ts';
import { DEFAULT_PORTS } from '../../shared/env.ts';
import { Problem } from '../../shared/problems.ts';
import { allRegions } from '../../shared/regions.ts';
import { type ApiFunction, apiFunctions, methodsOf, pathParameters, routes } from '../../shared/routes.ts';

/** Inputs for each parser; `FUZZ_RUNS=200000` for a long look. A failure prints the seed that shows it again. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 2000);
vi.setConfig({ testTimeout: 20_000 + numRuns * 10 });
const held = <Input>(property: fc.IProperty<Input> | fc.IAsyncProperty<Input>, runs = numRuns) =>
  fc.assert(property as fc.IAsyncProperty<Input>, { numRuns: runs });

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 }));
/** Texts that are nearly what is asked for: parts of it in any order, some of them broken. */
const joined = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .array(fc.oneof(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))), { maxLength: 12 })
    .map((chosen) => chosen.join(''));
const number = fc.oneof(fc.nat(255), fc.nat(), fc.bigInt({ min: 0n, max: 2n ** 40n })).map(String);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.tuple(number, number, number, number).map((parts) => parts.join('.')),
  fc.tuple(fc.constantFrom('::ffff:', '64:ff9b::', '2002:', '::'), fc.ipV4()).map((parts) => `[${parts.join('')}]`),
);
const host = fc.oneof(
  fc.domain(),
  address,
  fc.domain().map((name) => `xn--${name}`),
  joined('xn--', 'localhost', '.', '-', '_', '。', '%2e', '%00', 'ß', '\u00ad', 'ａ', '127', '0x7f', '1', text),
);
const url = fc.oneof(
  text,
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(
      fc.constantFrom(
        'http://',
        'https://',
        'HTTP:\\\\',
        'http:',
        'ftp://',
        'javascript:',
        'file://',
        'data:',
        ' ',
        '',
      ),
      fc.constantFrom('', '', '', 'user@', 'user:pass@', '@', ':@', '%40'),
      host,
      fc.constantFrom('', '', ':80', ':443', ':8080', ':22', ':0', ':99999', ':', ':٨٠', ':80:80'),
      fc.constantFrom('', '/', '/a?b#c', '?', '#', '\\', '//', '\t', '\0', '/%zz'),
    )
    .map((parts) => parts.join('')),
);

/** Told by Node, not by the rules that are tried: the blocks that matter most, and of IPv6 all but 2000::/3. */
const privateBlocks = new BlockList();
for (const block of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
]) {
  const [net = '', bits] = block.split('/');
  privateBlocks.addSubnet(net, Number(bits));
}
const globalBlock = new BlockList();
globalBlock.addSubnet('2000::', 3, 'ipv6');
const isPrivate = (ip: string) => (isIPv6(ip) ? !globalBlock.check(ip, 'ipv6') : privateBlocks.check(ip));

describe('the rules of a URL', () => {
  const rules = { targets: 'public', ports: DEFAULT_PORTS } as const;

  test('no text breaks them, and what they accept is a public host on an accepted port', () => {
    let accepted = 0;
    held(
      fc.property(url, (sent) => {
        const refusal = refusalOf(sent, rules);
        if (refusal) return;
        const { protocol, username, password, hostname, port, href } = new URL(sent);
        expect([protocol, username + password]).toEqual([expect.stringMatching(/^https?:$/), '']);
        expect(DEFAULT_PORTS).toContain(Number(port || (protocol === 'https:' ? 443 : 80)));
        const bare = hostname.replace(/^\[|\]$/g, '');
        if (isIP(bare)) expect([bare, isPrivate(bare)]).toEqual([bare, false]);
        else expect(bare).toMatch(/^[a-z0-9._-]+\.[a-z][a-z0-9-]*\.?$/);
        expect(bare).not.toMatch(/(^|\.)(localhost|internal|local)\.?$/);
        expect(domainToUnicode(bare)).not.toMatch(/(^|\.)xn--/);
        accepted += 1;
        if (href.length <= 2048) expect(refusalOf(href, rules)).toBeUndefined(); // what is audited is as good as what was sent
        expect(refusalOf(sent, { ...rules, targets: 'local' })).toBeUndefined();
      }),
    );
    expect(accepted).toBeGreaterThan(numRuns / 20);
  });

  test('no host and port break them', () =>
    held(
      fc.property(fc.oneof(host, text), fc.integer({ min: -1, max: 70_000 }), (asked, port) => {
        if (!refusalOfHost(asked, port, rules)) expect(DEFAULT_PORTS).toContain(port);
      }),
    ));
});

describe('the egress proxy', () => {
  const PUBLIC = '93.184.216.34';
  const bytes = (...parts: (number | fc.Arbitrary<Uint8Array>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'number' ? fc.constant(Uint8Array.of(part)) : part)))
      .map((all) => Buffer.concat(all));
  const any = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
  const one = (...values: number[]) => fc.constantFrom(...values).map((value) => Uint8Array.of(value));
  const mostly = (value: number) => fc.oneof({ weight: 9, arbitrary: one(value) }, { weight: 1, arbitrary: any(1, 1) });
  const lengthFirst = (name: Uint8Array) => Buffer.concat([Uint8Array.of(name.length), name]);
  const target = fc.oneof(
    bytes(1, any(4, 4)),
    bytes(4, any(16, 16)),
    bytes(3, any(255).map(lengthFirst)),
    bytes(
      3,
      host.map((name) => lengthFirst(Buffer.from(name).subarray(0, 255))),
    ),
    any(30),
  );
  const port = fc.oneof(fc.constantFrom(...DEFAULT_PORTS), fc.nat(65535)).map((to) => Buffer.of(to >> 8, to & 255));
  const greeting = fc.oneof(
    one(0).map(() => Buffer.of(5, 1, 0)),
    bytes(5, any(255).map(lengthFirst)),
    any(8),
  );
  const request = bytes(mostly(5), mostly(1), mostly(0), target, port);
  const conversation = fc.oneof(
    any(600),
    fc.tuple(greeting, request, any(20)).map((parts) => Buffer.concat(parts)),
  );
  const inParts = fc.tuple(
    conversation,
    fc.array(fc.nat(400), { maxLength: 4 }),
    fc.constantFrom('end', 'reset', 'stay'),
  );

  const proxyOf = async () => {
    const dialled: TcpNetConnectOpts[] = [];
    const proxy = await openEgressProxy(
      { targets: 'public', ports: DEFAULT_PORTS, url: 'https://example.com/' },
      {
        limits: { inAll: Number.POSITIVE_INFINITY, atOnce: 1000, handshakeMs: 150, connectMs: 150 },
        lookup: async (name) => {
          if (name.length % 3 === 0) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
          return [{ address: name.length % 3 === 1 ? PUBLIC : '10.0.0.1' }];
        },
        connect: (options) => {
          dialled.push(options);
          const socket = new Socket();
          setImmediate(() => socket.destroy(Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' })));
          return socket;
        },
      },
    );
    return { proxy, dialled };
  };

  /** Says something to the proxy, and gives all that it said. Each client has an address of its own: ports are few. */
  let clients = 0;
  const say = async (to: number, parts: Uint8Array[], then: string): Promise<Buffer> => {
    clients += 1;
    const localAddress = `127.${1 + (clients & 63)}.${(clients >> 6) & 255}.${1 + ((clients >> 14) & 127)}`;
    const socket = connect({ port: to, host: '127.0.0.1', localAddress, noDelay: true });
    const said: Buffer[] = [];
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => said.push(chunk)).on('error', () => {});
    for (const part of parts) {
      socket.write(part);
      if (parts.length > 1) await new Promise(setImmediate);
    }
    if (then === 'end') socket.end();
    if (then === 'reset') socket.once('connect', () => setImmediate(() => socket.resetAndDestroy()));
    await closed;
    return Buffer.concat(said);
  };

  const cut = (whole: Uint8Array, at: number[]): Uint8Array[] => {
    const places = [...new Set([0, ...at.filter((place) => place < whole.length), whole.length])].sort((a, b) => a - b);
    return places.slice(1).map((place, i) => whole.subarray(places[i], place));
  };

  test('nothing that a client says breaks it or hangs it, and nothing but public addresses is dialled', async () => {
    const { proxy, dialled } = await proxyOf();
    const lanes = Math.min(numRuns, 100); // beside each other: those that stall wait for the time-out together
    const property = fc.asyncProperty(fc.array(inParts, { minLength: lanes, maxLength: lanes }), async (inputs) => {
      const answers = await Promise.all(
        inputs.map(([whole, at, then]) => {
          const said = say(proxy.port, cut(whole, at), then);
          return Promise.race([said, sleep(5000, 'hangs' as const, { ref: false })]);
        }),
      );
      for (const answer of answers) {
        expect(answer).not.toBe('hangs');
        // Nothing; a greeting that is refused; one that is taken, and perhaps an answer. No dial succeeds here.
        expect((answer as Buffer).toString('hex')).toMatch(/^(|05ff|0500(05(0[1-9])0001000000000000)?)$/);
      }
      for (const { host: to = '', port: on } of dialled.splice(0)) {
        expect([isPrivate(to), DEFAULT_PORTS.includes(on)]).toEqual([false, true]);
      }
    });
    await held(property, Math.ceil(numRuns / lanes));
    const asked = Buffer.concat([Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)]);
    expect((await say(proxy.port, [asked], 'stay')).toString('hex')).toBe('050005050001000000000000'); // refused, as told
    await proxy.close();
  });

  test('clients that dawdle, stall or are half gone do not stop others', async () => {
    const { proxy } = await proxyOf();
    const halves = Array.from({ length: 300 }, (_, i) => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
      const half = Buffer.of(5, 1, 0, 5, 1, 0, 3, 200, 97).subarray(0, i % 10);
      if (i % 3 === 0) socket.end(half);
      else socket.write(half);
      return socket;
    });
    const dawdling = setInterval(() => {
      for (const socket of halves) if (socket.writable) socket.write('a');
    }, 5);
    await Promise.all(halves.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) {
      const answer = await say(proxy.port, [Buffer.of(5, 1, 0, 5, 1, 0, 1, 8, 8, 8, 8, 0, 80)], 'stay');
      expect(answer.toString('hex')).toBe('050005050001000000000000');
    }
    expect(performance.now() - startedAt).toBeLessThan(5000);
    clearInterval(dawdling);
    for (const socket of halves) socket.destroy();
    await proxy.close();
  });
});

/** An event of API Gateway. */
const eventOf = (method: string, path: string, more: Partial<APIGatewayProxyEventV2> = {}) =>
  ({
    headers: {},
    isBase64Encoded: false,
    ...more,
    requestContext: { requestId: 'r', http: { method, path } },
  }) as APIGatewayProxyEventV2;
const cors = () => ({ CORS_ORIGINS: ['https://example.com'] });

/** Holds an answer to what every answer is: no fault of ours, and where it is a problem one of its form. */
const asPromised = ({ statusCode = 500, headers = {}, body = '' }: Awaited<ReturnType<ReturnType<typeof http>>>) => {
  expect(statusCode).toBeLessThan(500);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (statusCode >= 400 && body !== '') expect(Problem.strict().parse(JSON.parse(body)).status).toBe(statusCode);
  return statusCode;
};

describe('the API', () => {
  const create = http({ cors, body: CreateCheckBody }, () =>
    createCheck({
      store: {
        create: async (check) => check.runs.map((run) => ({ ...run, checkId: check.id }) as RunItem),
        findOrErased: async () => undefined,
        markSent: async () => undefined,
      },
      limits: { take: async () => ({ headers: {}, giveBack: async () => {} }) },
      queues: { send: async () => {}, regions: allRegions },
      targets: { targets: 'public', ports: DEFAULT_PORTS },
      retentionDays: 90,
    }),
  );
  const field = fc.oneof(fc.jsonValue(), text, url);
  const region = fc.oneof(fc.constantFrom<string>(...allRegions), text);
  const good = {
    url: fc.constantFrom('https://example.com/', 'http://example.org/a?b#c'),
    auditVersion: fc.constantFrom<string>('latest', '12', auditVersions[0].version),
    regions: fc.uniqueArray(fc.constantFrom(...allRegions), { minLength: 1 }),
  };
  const optional = {
    device: fc.oneof(fc.constantFrom('mobile', 'desktop'), fc.jsonValue()),
    samples: fc.oneof(fc.nat(6), fc.double(), fc.jsonValue()),
    categories: fc.oneof(fc.array(fc.constantFrom('performance', 'pwa', 'seo', 'x')), fc.jsonValue()),
  };
  const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ weight: 4, arbitrary });
  const nearly = fc.oneof(
    often(fc.record(good)),
    fc.record({ ...good, ...optional }, { requiredKeys: ['url', 'auditVersion', 'regions'] }),
    fc.record(
      {
        url: fc.oneof(url, field),
        auditVersion: fc.oneof(good.auditVersion, field),
        regions: fc.oneof(fc.array(region), field),
      },
      { requiredKeys: [] },
    ),
    fc
      .tuple(
        fc.record(good),
        fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')), field),
      )
      .map(([body, more]) => ({ ...more, ...body })),
    fc.jsonValue(),
  );
  const body = fc.oneof(
    often(nearly.map((value) => JSON.stringify(value))),
    fc.tuple(nearly, fc.nat(), text).map(([value, at, by]) => {
      const json = JSON.stringify(value);
      const place = at % (json.length + 1);
      return json.slice(0, place) + by + json.slice(place + 1);
    }),
    text,
    fc.nat(30).map((depth) => '['.repeat(2 ** (depth / 2))),
  );
  const type = fc.oneof(often(fc.constantFrom('application/json', 'Application/JSON; charset=utf-8')), text);
  const key = fc.oneof(often(fc.uuid()), text);

  test('no body, type or key breaks a create', async () => {
    const statuses: number[] = [];
    await held(
      fc.asyncProperty(
        fc.oneof(
          often(body.map((sent) => ({ body: sent, isBase64Encoded: false }))),
          body.map((sent) => ({ body: Buffer.from(sent).toString('base64'), isBase64Encoded: true })),
          fc
            .uint8Array({ maxLength: 300 })
            .map((sent) => ({ body: Buffer.from(sent).toString('base64'), isBase64Encoded: true })),
          text.map((sent) => ({ body: sent, isBase64Encoded: true })), // not even base64
        ),
        fc.record({ 'content-type': type, 'idempotency-key': key, origin: text }, { requiredKeys: [] }),
        async (sent, headers) => {
          const answer = await create(eventOf('POST', '/v1/checks', { ...sent, headers }), {} as Context);
          statuses.push(asPromised(answer));
        },
      ),
    );
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(numRuns / 50); // it does not refuse all
  });

  const nothing = { find: async () => undefined, checkIdOf: async () => undefined };
  const onlyUuids =
    <T>(work: (id: string) => Promise<T>) =>
    (id: string) => {
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      return work(id);
    };
  const store = {
    find: onlyUuids(nothing.find),
    checkIdOf: onlyUuids(nothing.checkIdOf),
  };
  const erasure = { markErased: async () => false, erase: async () => true };
  const reports = {
    get: async () => Buffer.of(),
    urlOf: async () => '',
  };
  const keys = keyring({ store: { find: async () => undefined, touch: async () => {} } });
  const authorization = joined('Bearer', 'Basic', ' ', 'pas_', '0123456789ab_', 'f00d'.repeat(16), '"', text);
  const readers = [
    http({ cors }, () => getCheck({ store })),
    http({ cors, query: ['checkId'] }, () => getRun({ store })),
    http({ cors, query: ['checkId'] }, () => getReport({ store, reports, maxBytes: 1000 })),
    http({ cors }, () => deleteCheck({ store, erasure })),
    http({ cors, query: 'any' }, () => noRoute),
    http({ cors, access: ({ authorization }) => keys(authorization, 'checks:read') }, () => getCheck({ store })),
  ];
  const id = fc.oneof(
    text,
    fc.uuid(),
    fc.uuid().map((good) => good.toUpperCase()),
    joined('0', '-', 'a', 'F', '%', '/'),
  );

  test('no path parameter, query, path or header breaks a read, and no store sees what is no id', () =>
    held(
      fc.asyncProperty(
        fc.constantFrom(...readers),
        fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH'),
        fc.record({ checkId: id, runId: id }, { requiredKeys: [] }),
        fc.dictionary(fc.oneof(text, fc.constant('checkId')), fc.oneof(text, id), { maxKeys: 3 }),
        fc.oneof(text, joined('/', 'v1', 'checks', 'runs', '%2f', '..', id)),
        fc.record(
          { accept: text, 'accept-encoding': text, 'if-none-match': text, origin: text, authorization },
          { requiredKeys: [] },
        ),
        async (reader, method, pathParameters, queryStringParameters, path, headers) => {
          const event = eventOf(method, path, { pathParameters, queryStringParameters, headers });
          asPromised(await reader(event, {} as Context));
        },
      ),
    ));

  test('any path is of a route’s form or of none', () =>
    held(
      fc.property(fc.oneof(text, joined('/', 'v1', 'checks', 'audit', 'runs', 'report', '__proto__', id)), (path) => {
        for (const route of routes) {
          const found = pathParameters(route, path);
          if (found) expect(path).toBe(route.path.replace(/\{(\w+)\}/g, (_, name) => found[name] as string));
        }
        expect(methodsOf(path).every((method) => /^[A-Z]+$/.test(method))).toBe(true);
      }),
    ));
});

test('no request line or header breaks the local front, whatever bytes they are', async () => {
  const reader = http({ cors, query: 'any' }, () => noRoute);
  const functions = Object.fromEntries(apiFunctions.map((name) => [name, reader])) as Record<
    ApiFunction,
    typeof reader
  >;
  const gateway = await startGateway({ port: 0, functions });
  const part = joined(
    '/',
    '/v1/checks/',
    '/v1/regions',
    '%',
    '%zz',
    '?',
    '&',
    '=',
    '#',
    ' ',
    '//',
    'http://a/',
    '*',
    text,
  );
  const line = fc.tuple(fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'X', ''), part);
  const headers = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom('origin', 'accept', 'content-length', 'transfer-encoding', 'cookie', 'expect'), text),
      fc.tuple(text, text),
    ),
    { maxLength: 4 },
  );
  await held(
    fc.asyncProperty(line, headers, async ([method, target], sent) => {
      const socket = connect({ port: gateway.port, host: '127.0.0.1' }).on('error', () => {});
      const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.end(`${method} ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${lines}\r\n`);
      const answer = Buffer.concat(await socket.toArray()).toString('latin1');
      expect(answer).toMatch(/^(HTTP\/1\.1 (100|2\d\d|4\d\d) |$)/);
      if (answer !== '') expect(answer).toContain('x-content-type-options: nosniff');
    }),
    Math.ceil(numRuns / 5),
  );
  expect((await fetch(`${gateway.url}/v1/regions`, { method: 'OPTIONS' })).status).toBe(204);
  await gateway.close();
});

test('no message breaks a queue, and no work is done for one that is no job', async () => {
  const worked: AuditJob[] = [];
  const handler = queue(AuditJob, () => async (job) => void worked.push(job));
  const uuid = fc.oneof(fc.uuid(), text);
  const job = fc.record(
    {
      checkId: uuid,
      runId: uuid,
      region: fc.oneof(fc.constantFrom(...allRegions), text),
      correlationId: fc.oneof(text, fc.jsonValue()),
      owner: fc.oneof(text, fc.jsonValue()),
      future: fc.jsonValue(),
    },
    { requiredKeys: ['checkId', 'runId'] },
  );
  const message = fc.oneof(
    job.map((value) => JSON.stringify(value)),
    fc.json(),
    text,
  );
  await held(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 10 }), async (bodies) => {
      const Records = bodies.map((each, i) => ({ messageId: String(i), body: each }));
      const answer = await handler({ Records } as SQSEvent, { getRemainingTimeInMillis: () => 1000 } as Context);
      expect(answer).toEqual({ batchItemFailures: [] });
      for (const each of worked.splice(0)) expect(AuditJob.parse(each)).toEqual(each);
    }),
    Math.ceil(numRuns / 5),
  );
});

test('no text breaks the redaction, redacted twice is redacted once, and no secret comes through', () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  const parts = [
    'pas_',
    '://',
    'http://a',
    '@',
    ' ',
    ':',
    '=',
    '"',
    '\n',
    '?',
    '&',
    'cookie',
    'Bearer ',
    'token',
    'api-key',
  ];
  return held(
    fc.property(joined(...parts, text), hex(12), hex(64), joined(...parts, text), (before, which, secret, after) => {
      const sent = `${before}pas_${which}_${secret}${after}`;
      for (const clean of [withoutSecrets(sent), forLog(sent), JSON.stringify(redacted({ [before]: [sent] }))]) {
        expect(clean).not.toContain(secret);
      }
      expect(withoutSecrets(withoutSecrets(sent))).toBe(withoutSecrets(sent));
    }),
  );
});
