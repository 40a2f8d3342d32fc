import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { refusalOf, refusalOfHost } from '../../../functions/lib/targets/public-addresses.ts';
import { DEFAULT_PORTS } from '../../../shared/service/env.ts';
import { assertProperty, fuzzTimeoutMs, host, isPrivate, numRuns, text, url } from '../../support/fuzz.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

describe('the URL rules', () => {
  const rules = { targets: 'public', ports: DEFAULT_PORTS } as const;

  test('survive any text and accept only public hosts on accepted ports', () => {
    let accepted = 0;
    assertProperty(
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
        // The parser has repaired nothing before the path: the sent host is the parsed host, apart from its case and script.
        expect(sent).toMatch(/^https?:\/\/[^/\\]/i);
        const sentHost = sent.slice(protocol.length + 2).replace(/(:\d*)?([/?#].*)?$/s, '');
        if (/^[\x21-\x7e]*$/.test(sentHost) && !isIP(bare)) expect(sentHost.toLowerCase()).toBe(hostname);
        accepted += 1;
        if (href.length <= 2048) expect(refusalOf(href, rules)).toBeUndefined(); // the audit uses this form
        expect(refusalOf(sent, { ...rules, targets: 'local' })).toBeUndefined();
      }),
    );
    expect(accepted).toBeGreaterThan(numRuns / 20);
  });

  test('survive any host and port', () =>
    assertProperty(
      fc.property(fc.oneof(host, text), fc.integer({ min: -1, max: 70_000 }), (name, port) => {
        if (!refusalOfHost(name, port, rules)) expect(DEFAULT_PORTS).toContain(port);
      }),
    ));
});
