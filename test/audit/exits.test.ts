import { describe, expect, test, vi } from 'vitest';
import { egressFlags } from '../../functions/auditor/browser.ts';
import { bareHost } from '../../functions/lib/public-addresses.ts';
import { auditVersions } from '../../shared/audit-versions.ts';
import { type Answer, inNamespace, PUBLIC, type Seen, strays, tells } from '../support/namespace.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const newest = auditVersions[0].version;
const ORIGIN = { http: 'http://page.example.com', https: 'https://page.example.com', local: 'http://127.0.0.1:3000' };

/** Each is refused: its address, or one of its name's, or its port. `rebind` is public when it is first asked for. */
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
/** Only ever named where a browser would look them up itself. */
const NEVER_LOOKED_UP = ['prefetched.example.org', 'stun.example.org', 'turn.example.org'];

/** Names that the browser looked up: the proxy asks for two families once, and for none of those that only a browser would. */
const lookedUpByBrowser = ({ names }: Seen): string[] =>
  [...new Set(names)].filter(
    (name) => NEVER_LOOKED_UP.includes(name) || names.filter((each) => each === name).length > 2,
  );

const nothingGotOut = (seen: Seen, own?: string) => {
  expect(strays(seen, own)).toEqual([]);
  expect(lookedUpByBrowser(seen)).toEqual([]);
  expect(seen.told.filter((text) => text.startsWith('answered') && !text.includes('.example.'))).toEqual([]);
};

const tried = ({ told }: Seen): string[] =>
  told
    .find((text) => text.startsWith('tried '))
    ?.split(' ')
    .slice(1) ?? [];
const reached = ({ requests }: Seen, host: string): string[] =>
  requests.flatMap((request) => request.match(`^${PUBLIC} ${host.replaceAll('.', '\\.')} /x/(.*)$`)?.slice(1) ?? []);

inNamespace((does) => {
  describe('a page that tries every way out', () => {
    test.each(['http', 'https'] as const)(
      'gets out over %s to a public address by each, and by no other way than the proxy',
      async (scheme) => {
        const tries = [{ target: `${scheme}://cdn.example.net` }];
        const answers = tells(ORIGIN[scheme], { tries });
        const seen = await does({ do: 'browse', targets: 'public', url: `${ORIGIN[scheme]}/`, answers });
        const mute = [
          'manifest',
          'source-map',
          ...(scheme === 'https' ? ['speculation-prefetch', 'speculation-prerender'] : []),
        ];
        expect(tried(seen).length).toBeGreaterThan(55);
        expect(reached(seen, 'cdn.example.net')).toEqual(
          expect.arrayContaining(tried(seen).filter((name) => !mute.includes(name))),
        );
        const allowed = seen.decisions?.filter(({ outcome }) => outcome === 'allowed') ?? [];
        const dialled = seen.packets.filter((packet) => packet.startsWith(`tcp ${PUBLIC}`));
        expect(dialled).toHaveLength(allowed.reduce((sum, { count }) => sum + count, 0));
        nothingGotOut(seen);
      },
    );

    test.each(['http', 'https'] as const)(
      'gets nowhere over %s towards an address that is not public',
      async (scheme) => {
        const tries = [{ target: `${scheme}://10.0.0.1` }];
        const answers = tells(ORIGIN[scheme], { tries });
        const seen = await does({ do: 'browse', targets: 'public', url: `${ORIGIN[scheme]}/`, answers });
        nothingGotOut(seen);
        expect(tried(seen).length).toBeGreaterThan(55);
        const refused =
          seen.decisions?.filter(({ host, outcome }) => host === '10.0.0.1' && outcome === 'refused') ?? [];
        expect(refused.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(40);
        const names = seen.decisions?.map(({ host }) => host);
        expect(names).toContain('issued.example.com'); // whose certificate has its issuer at 10.0.0.1
      },
    );

    test('on loopback gets to its own origin, and to nothing else there', async () => {
      const answers = tells(ORIGIN.local, {
        tries: [{ target: 'http://127.0.0.1:9001' }, { target: 'http://localhost:3000', names: SOME_WAYS }],
      });
      const seen = await does({ do: 'browse', targets: 'local', url: `${ORIGIN.local}/`, answers });
      nothingGotOut(seen, 'tcp 127.0.0.1 3000');
      expect(tried(seen)).toContain('service-worker');
      expect(seen.requests).toContain('127.0.0.1 127.0.0.1:3000 /exits.js');
    });

    test.each([newest, '9.6.8'] as const)(
      'gets nowhere in a whole audit of version %s, whose debugging port is closed to it too',
      async (version) => {
        const targets = [...FORBIDDEN, 'http://cdn.example.net', 'http://rebind.example.com:8080'];
        const answers = tells(ORIGIN.http, { tries: targets.map((target) => ({ target, names: SOME_WAYS })) });
        const seen = await does({ do: 'audit', targets: 'public', url: `${ORIGIN.http}/`, version, answers });
        nothingGotOut(seen);
        const told = { warnings: expect.arrayContaining([expect.stringMatching(/refused/)]) };
        expect(seen.verdict).toMatchObject({ state: 'succeeded', ...told });
        const refused = FORBIDDEN.map((target) =>
          expect.objectContaining({ host: bareHost(new URL(target).hostname) }),
        );
        expect(seen.verdict).toMatchObject({ blockedRequests: expect.arrayContaining(refused) });
        expect(seen.told).toContain(`own ports: ${version === '9.6.8' ? 2 : 1}`); // its proxy, and the debugging port
        // A page has one manifest, its first: a forbidden one.
        const read = SOME_WAYS.filter((name) => name !== 'manifest');
        expect(reached(seen, 'cdn.example.net')).toEqual(expect.arrayContaining(read));
      },
    );

    test('a name that changes its answer is dialled where it was first found, or not at all', async () => {
      const tries = ['rebind', 'rebound'].map((name) => ({
        target: `http://${name}.example.com:8080`,
        names: SOME_WAYS,
      }));
      const answers = tells(ORIGIN.http, { tries });
      const seen = await does({ do: 'browse', targets: 'public', url: `${ORIGIN.http}/`, answers });
      nothingGotOut(seen);
      const outcomes = (name: string) =>
        seen.decisions?.filter(({ host }) => host === `${name}.example.com`).map(({ outcome }) => outcome);
      expect(outcomes('rebind')).toEqual(['allowed']);
      expect(outcomes('rebound')).toEqual(['refused']);
      expect(reached(seen, 'rebind.example.com:8080')).toContain('fetch');
    });
  });

  test('a page with many names that no server answers for spoils no audit after it', async () => {
    const loads = Array.from({ length: 100 }, (_, n) => `<img src="http://${n}.silent.example.com/">`).join('');
    const type = { 'content-type': 'text/html' };
    const auditOf = (url: string, body: string) => {
      const answers = { [url]: { headers: type, body: `<!doctype html><p>Here</p>${body}` } };
      return does({ do: 'audit', targets: 'public', version: newest, categories: ['seo'], url, answers });
    };
    const { names } = await auditOf(`${ORIGIN.http}/`, loads);
    expect(new Set(names.filter((name) => name.includes('.silent.'))).size).toBeGreaterThan(6); // it tried
    const { verdict } = await auditOf('http://another.example.com/', '');
    expect(verdict).toMatchObject({ state: 'succeeded' });
  });

  describe('without one of its flags the browser leaks', () => {
    const ways = (origin: string, target: string, ...names: string[]) => tells(origin, { tries: [{ target, names }] });
    const leaks: Record<string, { also?: string[]; origin: string; answers: Record<string, Answer>; leak: string }> = {
      '--proxy-server': {
        origin: ORIGIN.local,
        answers: ways(ORIGIN.local, 'http://127.0.0.1:9001', 'fetch'),
        leak: 'tcp 127.0.0.1 9001',
      },
      '--proxy-bypass-list': {
        origin: ORIGIN.http,
        answers: ways(ORIGIN.http, 'http://127.0.0.1:9001', 'fetch'),
        leak: 'tcp 127.0.0.1 9001',
      },
      '--force-webrtc-ip-handling-policy': {
        origin: ORIGIN.http,
        answers: ways(ORIGIN.http, 'http://10.0.0.1', 'stun-literal'),
        leak: 'udp 10.0.0.1 3478',
      },
      '--host-resolver-rules': {
        origin: ORIGIN.http,
        answers: ways(ORIGIN.http, 'http://cdn.example.net', 'turn-name'),
        leak: 'name turn.example.org',
      },
      // A second lock: through a SOCKS proxy Chromium speaks no QUIC.
      '--disable-quic': {
        also: ['--proxy-server'],
        origin: 'https://127.0.0.1:8443',
        answers: {
          'https://127.0.0.1:8443/': {
            headers: { 'content-type': 'text/html', 'alt-svc': 'h3=":443"; ma=3600' },
            body: '<p>Faster elsewhere</p><script>for (let i = 1; i < 9; i++) setTimeout(() => fetch("/again"), i * 250)</script>',
          },
        },
        leak: 'udp 127.0.0.1 443',
      },
    };

    test('each flag is among these', () => {
      const names = egressFlags(1).map((flag) => flag.split('=')[0]);
      expect(names.sort()).toEqual(Object.keys(leaks).sort());
    });

    test.each(Object.entries(leaks))('%s', async (flag, { also = [], origin, answers, leak }) => {
      const deed = {
        do: 'browse',
        targets: origin.includes('127.0.0.1') ? 'local' : 'public',
        url: `${origin}/`,
        answers,
      } as const;
      const found = ({ packets, ...seen }: Seen) => [
        ...packets,
        ...lookedUpByBrowser({ packets, ...seen }).map((name) => `name ${name}`),
      ];
      expect(found(await does({ ...deed, without: [flag, ...also] }))).toContain(leak);
      expect(found(await does({ ...deed, without: also }))).not.toContain(leak);
    });
  });
});
