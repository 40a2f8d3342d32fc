import { expect, test } from 'vitest';
import { bareHost } from '../../../functions/lib/targets/public-addresses.ts';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { FULL } from '../../support/full.ts';
import { type Answer, inNamespace, type Observed, strays, triesFor } from '../../support/namespace.ts';
import { type SsrfCase, ssrfCases } from '../../support/ssrf-cases.ts';

/** Redirects and loads of pages. test/unit/submission.test.ts and egress-proxy tests cover the other cases of the collection. */
inNamespace((run) => {
  const redirects = ssrfCases.filter(({ stage }) => stage === 'redirect');
  const loads = ssrfCases.filter(({ stage }) => stage === 'subresource');
  const pageOf = ({ url, policy }: SsrfCase) => loads.filter((each) => each.url === url && each.policy === policy);
  /** The loopback targets that the case allows. The cases of one page share a visit. */
  const ownOf = (given: SsrfCase) =>
    [given, ...pageOf(given)].flatMap(({ policy, url, expect: expected, redirectsTo = url, loads = redirectsTo }) => {
      const allowed = policy ? [url, ...(expected === 'allow' ? [loads] : [])] : [];
      return allowed.map((each) => `tcp ${bareHost(new URL(each).hostname)} ${new URL(each).port}`);
    });
  /** The end of the line that the world's servers record for a request. */
  const requestOf = (url: URL) => ` ${url.host} ${url.pathname}`;

  const answerOf = ({ via = '', redirectsTo = '' }: SsrfCase): Answer => {
    if (/^\d+$/.test(via)) return { status: Number(via), headers: { location: redirectsTo } };
    const html = { headers: { 'content-type': 'text/html' } };
    if (via === 'meta-refresh')
      return { ...html, body: `<meta http-equiv="refresh" content="0;url=${redirectsTo}"><p>Moving</p>` };
    return { ...html, body: `<p>Moving</p><script>location.href = ${JSON.stringify(redirectsTo)}</script>` };
  };

  const targetOf = ({ redirectsTo = '', url }: SsrfCase) => new URL(redirectsTo, url);
  const answersOf = (given: SsrfCase) => {
    const end = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>End</title><p>The end</p>' };
    return { [targetOf(given).href]: end, [given.url]: answerOf(given) };
  };

  const throughProxy = redirects.filter((given) => /^https?:$/.test(targetOf(given).protocol));
  test.each(throughProxy)('$id through the proxy: $expect, because $why', async (given) => {
    const to = targetOf(given);
    const task = { targets: given.policy ?? 'public', url: given.url, answers: answersOf(given) } as const;
    const observed = await run({ do: 'follow', ...task });
    expect(strays(observed, ownOf(given))).toEqual([]);
    const arrived = observed.requests.some((request) => request.endsWith(requestOf(to)));
    expect(arrived).toBe(given.expect === 'allow');
    const outcome = observed.decisions?.findLast(({ host }) => host === bareHost(to.hostname))?.outcome;
    expect(outcome).toBe(given.expect === 'allow' ? 'allowed' : 'refused');
  });

  // One per way to redirect, and one per scheme that Chromium itself refuses.
  const inBrowser = [
    ...['redirect-imds-302', 'redirect-file-302', 'redirect-chrome-meta', 'redirect-decimal-href'],
    'redirect-meta-public',
  ];
  const audited = redirects.filter(({ id }) => FULL || inBrowser.includes(id));
  test.each(audited)('$id in an audit: $expect, because $why', async (given) => {
    const to = targetOf(given);
    const observed = await run({
      do: 'audit',
      targets: given.policy ?? 'public',
      url: given.url,
      version: auditVersions[0].version,
      categories: ['seo'],
      answers: answersOf(given),
      until: requestOf(to),
    });
    expect(strays(observed, ownOf(given))).toEqual([]);
    const arrived = observed.requests.some((request) => request.endsWith(requestOf(to)));
    if (given.expect === 'allow') expect(arrived).toBe(true);
    else if (to.protocol === 'chrome:')
      expect(observed.verdict).toMatchObject({ finalUrl: given.url }); // Chromium does not navigate
    else expect(observed).toMatchObject({ verdict: { state: 'failed', error: { code: 'forbidden-target' } } });
  });

  const WAYS: Record<string, string> = {
    'link-preload': 'preload',
    worker: 'worker-import',
    'rtc-ice-server': 'ice-server',
  };
  const visits = new Map<string, Promise<Observed>>();
  /** Visits each page once, for all cases of the page. */
  const visit = (given: SsrfCase): Promise<Observed> => {
    const { url, policy } = given;
    const answers = triesFor(new URL(url).origin, {
      loads: pageOf(given).map(({ via = '', loads: to = '' }) => ({ name: WAYS[via] ?? via, url: to })),
    });
    const key = `${policy} ${url}`;
    const observed = visits.get(key) ?? run({ do: 'browse', targets: policy ?? 'public', url, answers });
    visits.set(key, observed);
    return observed;
  };

  test.each(loads)('$id: $expect, because $why', async (given) => {
    const observed = await visit(given);
    expect(strays(observed, ownOf(given))).toEqual([]);
    const to = new URL(given.loads ?? '');
    const arrived = observed.requests.some((request) => request.endsWith(requestOf(to)));
    expect(arrived).toBe(given.expect === 'allow' && to.protocol !== 'data:');
    expect(observed.messages).toContain('done');
  });
});
