import { describe, expect, test } from 'vitest';
import { egressFlags } from '../../../functions/auditor/child/browser.ts';
import {
  type Answer,
  ENGINE_PORT,
  inNamespace,
  lookedUpByBrowser,
  type Observed,
  ORIGIN,
  triesFor,
} from '../../support/namespace.ts';

inNamespace((run) => {
  describe('without one egress flag, the browser leaks', () => {
    const ways = (origin: string, target: string, ...names: string[]) =>
      triesFor(origin, { tries: [{ target, names }] });
    const leaks: Record<string, { also?: string[]; origin: string; answers: Record<string, Answer>; leak: string }> = {
      '--proxy-server': {
        origin: ORIGIN.local,
        answers: ways(ORIGIN.local, `http://127.0.0.1:${ENGINE_PORT}`, 'fetch'),
        leak: `tcp 127.0.0.1 ${ENGINE_PORT}`,
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
      // A second safeguard: Chromium speaks no QUIC through a SOCKS proxy, so the test removes that flag too.
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

    test('this table has every egress flag', () => {
      const names = egressFlags(1).map((flag) => flag.split('=')[0]);
      expect(names.sort()).toEqual(Object.keys(leaks).sort());
    });

    test.each(Object.entries(leaks))('%s', async (flag, { also = [], origin, answers, leak }) => {
      const task = {
        do: 'browse',
        targets: origin.includes('127.0.0.1') ? 'local' : 'public',
        url: `${origin}/`,
        answers,
      } as const;
      const found = ({ packets, ...observed }: Observed) => [
        ...packets,
        ...lookedUpByBrowser({ packets, ...observed }).map((name) => `name ${name}`),
      ];
      const until = leak.replace('name ', '');
      expect(found(await run({ ...task, without: [flag, ...also], until }))).toContain(leak);
      expect(found(await run({ ...task, without: also }))).not.toContain(leak);
    });
  });
});
