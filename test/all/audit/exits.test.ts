import { describe, expect, test } from 'vitest';
import { bareHost } from '../../../functions/lib/targets/public-addresses.ts';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { FULL } from '../../support/full.ts';
import {
  ENGINE_PORT,
  inNamespace,
  lookedUpByBrowser,
  type Observed,
  ORIGIN,
  PUBLIC,
  strays,
  triesFor,
} from '../../support/namespace.ts';

const newest = auditVersions[0].version;
const versions = FULL ? ([newest, '9.6.8'] as const) : [newest];
const schemes = FULL ? (['http', 'https'] as const) : (['http'] as const);

/** Targets that the proxy refuses, by their address, an address of their name, or their port. */
const FORBIDDEN = [
  ...['http://127.0.0.1:9001', 'http://127.0.0.1:9222', 'http://localhost:9001', 'http://2130706433', 'http://0x7f.1'],
  ...[
    'http://169.254.169.254',
    'http://168.63.129.16',
    'http://[::1]:8080',
    'http://[fd00::1]',
    'http://[::ffff:a00:1]',
  ],
  ...['http://metadata.google.internal', 'http://imds.example.com', 'http://mixed.example.com'],
  'http://page.example.com:6379',
];
const SOME_WAYS = ['img', 'fetch', 'websocket', 'redirect-fetch', 'preload', 'manifest', 'source-map'];
const expectNothingEscaped = (observed: Observed) => {
  expect(strays(observed)).toEqual([]);
  expect(lookedUpByBrowser(observed)).toEqual([]);
  expect(observed.messages.filter((text) => text.startsWith('answered') && !text.includes('.example.'))).toEqual([]);
};

const tried = ({ messages }: Observed): string[] =>
  messages
    .find((text) => text.startsWith('tried '))
    ?.split(' ')
    .slice(1) ?? [];
const reached = ({ requests }: Observed, host: string): string[] =>
  requests.flatMap((request) => request.match(`^${PUBLIC} ${host.replaceAll('.', '\\.')} /x/(.*)$`)?.slice(1) ?? []);

inNamespace((run) => {
  describe('a page that tries every way out', () => {
    test.each(schemes)(
      'reaches a public address over %s in every way, and always through the proxy',
      async (scheme) => {
        const tries = [{ target: `${scheme}://cdn.example.net` }];
        const answers = triesFor(ORIGIN[scheme], { tries });
        const observed = await run({ do: 'browse', targets: 'public', url: `${ORIGIN[scheme]}/`, answers });
        const sendsNoRequest = [
          'manifest',
          'source-map',
          ...(scheme === 'https' ? ['speculation-prefetch', 'speculation-prerender'] : []),
        ];
        expect(tried(observed).length).toBeGreaterThan(55);
        expect(reached(observed, 'cdn.example.net')).toEqual(
          expect.arrayContaining(tried(observed).filter((name) => !sendsNoRequest.includes(name))),
        );
        const allowed = observed.decisions?.filter(({ outcome }) => outcome === 'allowed') ?? [];
        const dialled = observed.packets.filter((packet) => packet.startsWith(`tcp ${PUBLIC}`));
        expect(dialled).toHaveLength(allowed.reduce((sum, { count }) => sum + count, 0));
        expectNothingEscaped(observed);
      },
    );

    test.each(schemes)('reaches no private address over %s', async (scheme) => {
      const tries = [{ target: `${scheme}://10.0.0.1` }];
      const answers = triesFor(ORIGIN[scheme], { tries });
      const observed = await run({ do: 'browse', targets: 'public', url: `${ORIGIN[scheme]}/`, answers });
      expectNothingEscaped(observed);
      expect(tried(observed).length).toBeGreaterThan(55);
      const refused =
        observed.decisions?.filter(({ host, outcome }) => host === '10.0.0.1' && outcome === 'refused') ?? [];
      expect(refused.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(40);
      const names = observed.decisions?.map(({ host }) => host);
      expect(names).toContain('issued.example.com'); // its certificate names an issuer at 10.0.0.1
    });

    test('reaches all of loopback from its own origin on loopback, except an engine of the service and the proxy', async () => {
      const answers = triesFor(ORIGIN.local, {
        tries: [{ target: `http://127.0.0.1:${ENGINE_PORT}` }, { target: 'http://localhost:5432', names: SOME_WAYS }],
      });
      const observed = await run({ do: 'browse', targets: 'local', url: `${ORIGIN.local}/`, answers });
      const isForbidden = (packet: string) =>
        !/^tcp (127\.0\.0\.1|::1) /.test(packet) || packet.endsWith(` ${ENGINE_PORT}`);
      expect(strays(observed).filter(isForbidden)).toEqual([]);
      expect(lookedUpByBrowser(observed)).toEqual([]);
      expect(tried(observed)).toContain('service-worker');
      expect(observed.requests).toEqual(
        expect.arrayContaining(['127.0.0.1 127.0.0.1:3000 /exits.js', '::1 localhost:5432 /x/fetch']),
      );
      expect(observed.messages).toContain('own ports: 1');
      const own = observed.decisions?.filter(({ reason }) => reason?.includes('service itself')) ?? [];
      expect(own.map(({ port }) => port)).toContain(ENGINE_PORT);
      expect(new Set(own.map(({ port }) => port)).size).toBe(2); // the other one is the proxy's
    });

    test('reaches listed hosts from its own listed host, but neither loopback nor metadata', async () => {
      const origin = 'http://shop.test'; // its name leads to 10.9.9.9
      const refused = ['http://169.254.169.254', 'http://imds.test', 'http://[fd00:ec2::254]', 'http://127.0.0.1:8080'];
      const tries = ['http://10.0.0.1', ...refused].map((target) => ({ target, names: SOME_WAYS }));
      const observed = await run({
        do: 'browse',
        targets: 'public',
        url: `${origin}/`,
        answers: triesFor(origin, { tries }),
      });
      expect(strays(observed, ['tcp 10.9.9.9 80', 'tcp 10.0.0.1 80'])).toEqual([]);
      expect(observed.requests).toContain('10.0.0.1 10.0.0.1 /x/fetch');
      const hosts = observed.decisions?.filter(({ outcome }) => outcome === 'refused').map(({ host }) => host);
      expect(hosts).toEqual(expect.arrayContaining(refused.map((target) => bareHost(new URL(target).hostname))));
    });

    test.each(versions)(
      'reaches no forbidden target in an audit of version %s, not even the debugging port',
      async (version) => {
        const targets = [...FORBIDDEN, 'http://cdn.example.net', 'http://rebind.example.com:8080'];
        const answers = triesFor(ORIGIN.http, { tries: targets.map((target) => ({ target, names: SOME_WAYS })) });
        const observed = await run({ do: 'audit', targets: 'public', url: `${ORIGIN.http}/`, version, answers });
        expectNothingEscaped(observed);
        const warned = { warnings: expect.arrayContaining([expect.stringMatching(/blocked \d+ request/)]) };
        expect(observed.verdict).toMatchObject({ state: 'succeeded', ...warned });
        const refused = FORBIDDEN.map((target) =>
          expect.objectContaining({ host: bareHost(new URL(target).hostname) }),
        );
        expect(observed.verdict).toMatchObject({ blockedRequests: expect.arrayContaining(refused) });
        expect(observed.messages).toContain(`own ports: ${version === '9.6.8' ? 2 : 1}`); // the audit's proxy, and version 9's debugging port
        // A page loads only its first manifest, and that one is forbidden.
        const read = SOME_WAYS.filter((name) => name !== 'manifest');
        expect(reached(observed, 'cdn.example.net')).toEqual(expect.arrayContaining(read));
      },
    );

    test('a name that resolves differently later is dialled at its first address, or refused', async () => {
      const tries = ['rebind', 'rebound'].map((name) => ({
        target: `http://${name}.example.com:8080`,
        names: SOME_WAYS,
      }));
      const answers = triesFor(ORIGIN.http, { tries });
      const observed = await run({ do: 'browse', targets: 'public', url: `${ORIGIN.http}/`, answers });
      expectNothingEscaped(observed);
      const outcomes = (name: string) =>
        observed.decisions?.filter(({ host }) => host === `${name}.example.com`).map(({ outcome }) => outcome);
      expect(outcomes('rebind')).toEqual(['allowed']);
      expect(outcomes('rebound')).toEqual(['refused']);
      expect(reached(observed, 'rebind.example.com:8080')).toContain('fetch');
    });
  });

  test('a page with many names that no DNS server answers does not slow the next audit', async () => {
    const loads = Array.from({ length: 100 }, (_, n) => `<img src="http://${n}.silent.example.com/">`).join('');
    const type = { 'content-type': 'text/html' };
    const auditOf = (url: string, body: string) => {
      const answers = { [url]: { headers: type, body: `<!doctype html><p>Here</p>${body}` } };
      return run({ do: 'audit', targets: 'public', version: newest, categories: ['seo'], url, answers });
    };
    const { names } = await auditOf(`${ORIGIN.http}/`, loads);
    expect(new Set(names.filter((name) => name.includes('.silent.'))).size).toBeGreaterThan(6); // the page did try many names
    const { verdict } = await auditOf('http://another.example.com/', '');
    expect(verdict).toMatchObject({ state: 'succeeded' });
  });
});
