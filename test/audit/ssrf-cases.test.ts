import { expect, test, vi } from 'vitest';
import { auditVersions } from '../../shared/audit-versions.ts';
import { type Answer, inNamespace, type Seen, strays, tells } from '../support/namespace.ts';
import { type SsrfCase, ssrfCases } from '../support/ssrf-cases.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** What pages lead to and load. What is submitted is held against the same collection elsewhere. */
inNamespace((does) => {
  const redirects = ssrfCases.filter(({ stage }) => stage === 'redirect');
  const loads = ssrfCases.filter(({ stage }) => stage === 'subresource');
  const ownOf = ({ policy, url }: SsrfCase) =>
    policy ? `tcp ${new URL(url).hostname.replace(/[[\]]/g, '')} 3000` : '';
  /** As the world's servers note it. */
  const requestOf = (url: URL) => ` ${url.host} ${url.pathname}`;

  const answerOf = ({ via = '', redirectsTo = '' }: SsrfCase): Answer => {
    if (/^\d+$/.test(via)) return { status: Number(via), headers: { location: redirectsTo } };
    const html = { headers: { 'content-type': 'text/html' } };
    if (via === 'meta-refresh')
      return { ...html, body: `<meta http-equiv="refresh" content="0;url=${redirectsTo}"><p>Moving</p>` };
    return { ...html, body: `<p>Moving</p><script>location.href = ${JSON.stringify(redirectsTo)}</script>` };
  };

  test.each(redirects)('$id: $expect, because $why', async (given) => {
    const to = new URL(given.redirectsTo ?? '', given.url);
    const end = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>End</title><p>The end</p>' };
    const seen = await does({
      do: 'audit',
      targets: given.policy ?? 'public',
      url: given.url,
      version: auditVersions[0].version,
      categories: ['seo'],
      answers: { [to.href]: end, [given.url]: answerOf(given) },
      until: requestOf(to),
    });
    expect(strays(seen, ownOf(given))).toEqual([]);
    const arrived = seen.requests.some((request) => request.endsWith(requestOf(to)));
    if (given.expect === 'allow') expect(arrived).toBe(true);
    else if (to.protocol === 'chrome:')
      expect(seen.verdict).toMatchObject({ finalUrl: given.url }); // it never sets out
    else expect(seen).toMatchObject({ verdict: { state: 'failed', error: { code: 'forbidden-target' } } });
  });

  const WAYS: Record<string, string> = {
    'link-preload': 'preload',
    worker: 'worker-import',
    'rtc-ice-server': 'ice-server',
  };
  const visits = new Map<string, Promise<Seen>>();
  /** One visit to each page loads all that its cases load. */
  const visit = ({ url, policy }: SsrfCase): Promise<Seen> => {
    const ofPage = loads.filter((each) => each.url === url && each.policy === policy);
    const answers = tells(new URL(url).origin, {
      loads: ofPage.map(({ via = '', loads: to = '' }) => ({ name: WAYS[via] ?? via, url: to })),
    });
    const key = `${policy} ${url}`;
    const seen = visits.get(key) ?? does({ do: 'browse', targets: policy ?? 'public', url, answers });
    visits.set(key, seen);
    return seen;
  };

  test.each(loads)('$id: $expect, because $why', async (given) => {
    const seen = await visit(given);
    expect(strays(seen, ownOf(given))).toEqual([]);
    const to = new URL(given.loads ?? '');
    const arrived = seen.requests.some((request) => request.endsWith(requestOf(to)));
    expect(arrived).toBe(given.expect === 'allow' && to.protocol !== 'data:');
    expect(seen.told).toContain('done');
  });
});
