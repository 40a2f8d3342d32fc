import { describe, expect, test } from 'vitest';
import { type AuditVersion, auditVersions } from '../../shared/audit-versions.ts';
import { explain } from '../../shared/explanation/explanation.ts';
import { factsOf } from '../../shared/explanation/facts.ts';
import type { Verdicts } from '../../shared/explanation/points.ts';
import type { Report } from '../../shared/explanation/report.ts';
import { Explanation } from '../../shared/explanation/schema.ts';
import { knownCauses, type SiteState } from '../support/changing-site.ts';
import { majorVersions } from '../support/major-versions.ts';
import { nameOf, readReports, verdictsOf } from '../support/recorded-explanations.ts';

const reports = readReports();
const newest = auditVersions[0].version;
const reportOf = (version: AuditVersion, state: SiteState): Report | undefined => reports[nameOf(version, state)];

/** Every recorded pair of reports whose difference is known. */
const pairs = majorVersions.flatMap(({ version }) =>
  Object.entries(knownCauses).flatMap(([cause, { before = {}, after, names }]) => {
    const [base, now] = [reportOf(version, before), reportOf(version, after)];
    return base && now ? [{ version, cause, base, now, names }] : [];
  }),
);
const pairOf = (cause: string, version: AuditVersion = newest) => {
  const found = pairs.find((pair) => pair.cause === cause && pair.version === version);
  if (!found) throw new Error(`There is no recording of ${cause} in ${version}.`);
  return found;
};
const explained = (base: Report, now: Report, verdicts: Verdicts = verdictsOf(base, now)) =>
  explain(factsOf(base), factsOf(now), verdicts);

test('each version has recorded pairs, and the newest version has all', () => {
  expect(pairs.filter(({ version }) => version === newest)).toHaveLength(Object.keys(knownCauses).length);
  expect(new Set(pairs.map(({ version }) => version)).size).toBe(majorVersions.length);
});

test.each(pairs)('the sentence names the cause: $cause ($version)', ({ base, now, names }) => {
  expect(explained(base, now).sentence).toMatch(names);
});

test.each(pairs)('the points add up to the change of the score: $cause ($version)', ({ base, now }) => {
  const { performance, points } = explained(base, now);
  const sum = points.reduce((total, each) => total + Math.round(100 * each.points), 0);
  expect(sum).toBe(Math.round(100 * (performance.change ?? Number.NaN)));
  expect(Math.round(performance.base ?? 0)).toBe(Math.round(100 * (base.categories.performance?.score ?? 0)));
  expect(Math.round(performance.value ?? 0)).toBe(Math.round(100 * (now.categories.performance?.score ?? 0)));
});

test.each(pairs)('the explanation has the documented form: $cause ($version)', ({ base, now }) => {
  const explanation = explained(base, now);
  expect(Explanation.strict().parse(explanation)).toEqual(explanation);
});

describe('without a verdict', () => {
  const noise = Object.fromEntries(
    ['performance', 'fcp', 'lcp', 'si', 'tti', 'tbt', 'cls'].map((name) => [name, { verdict: 'unknown' as const }]),
  );

  test('a change of a metric has no story', () => {
    const { base, now } = pairOf('a slower server');
    const explanation = explained(base, now, noise);
    expect(explanation).toMatchObject({ sentence: 'No metric has a clear change.', mainThread: [] });
    expect(explanation.requests).toMatchObject({ slower: [], faster: [] });
    expect(explanation.points.map(({ verdict }) => verdict)).toEqual(explanation.points.map(() => 'unknown'));
  });

  test('a cache header and a redirect are still named, because they have no noise', () => {
    const caching = pairOf('a cache header gone');
    expect(explained(caching.base, caching.now, noise).sentence).toContain('cache lifetime of /plain.1a2b3c4d.css');
    const redirect = pairOf('a redirect more');
    expect(explained(redirect.base, redirect.now, noise).sentence).toContain('1 redirect instead of 0');
  });
});

test('an improvement is named by the cause that is gone', () => {
  const { base, now } = pairOf('a script added', '12.8.2');
  expect(explained(now, base).sentence).toMatch(
    /^TBT is 1\.\d s shorter \(\+\d+ points\): script \/chat\S+ keeps the main thread busy/,
  );
  const style = pairOf('a blocking stylesheet');
  expect(explained(style.now, style.base).sentence).toContain(
    'render-blocking stylesheet /theme.css (258 KiB) is gone',
  );
  const label = pairOf('a label gone');
  expect(explained(label.now, label.base).sentence).toContain('“Form elements do not have associated labels” is fixed');
});

test('what made the page faster, or changed by less than noise, is no cause of a slow-down', () => {
  const slower = { lcp: { verdict: 'regressed', change: 400 } } as const;
  const { base, now } = pairOf('a redirect more');
  expect(explained(now, base, slower).sentence).toBe(
    'LCP is 400 ms slower, and the reports show no cause; the page has 0 redirects instead of 1.',
  );
  const withServerTime = (more: number): Report => {
    const audit = base.audits['server-response-time'];
    const numericValue = Number(audit?.numericValue) + more;
    return { ...base, audits: { ...base.audits, 'server-response-time': { ...audit, numericValue } } } as Report;
  };
  const byLittle = { lcp: { verdict: 'regressed', change: 60 } } as const;
  expect(explained(base, withServerTime(50), byLittle).sentence).toBe(
    'LCP is 60 ms slower, and the reports show no cause.',
  );
  expect(explained(base, withServerTime(150), slower).sentence).toContain('the server responds in 157 ms');
});

test('the change of a metric is that of the comparison, if the comparison estimates one', () => {
  const { base, now } = pairOf('an image larger');
  const verdicts = { lcp: { verdict: 'regressed', change: 3456 } } as const;
  expect(explained(base, now, verdicts).sentence).toContain('LCP is 3.5 s slower');
});

test('a change of the network alone is named by its cause, and not repeated after a metric of the same cause', () => {
  const only = (cause: string, metric: string) => {
    const { base, now } = pairOf(cause);
    return explained(base, now, { [metric]: { verdict: 'regressed' } }).sentence;
  };
  expect(only('an image larger', 'bytes')).toBe('The page loads 802 KiB more: image /hero.png is 802 KiB larger.');
  expect(only('a slower server', 'ttfb')).toMatch(/^TTFB is 2\.\d s slower: the server responds in 2\.\d s/);
  expect(only('a blocking stylesheet', 'requests')).toBe(
    'The page makes 1 request more: new render-blocking stylesheet /theme.css (258 KiB).',
  );
  const { base, now } = pairOf('an image larger');
  expect(explained(base, now).sentence).not.toContain('The page loads');
});

test('a performance score that changed without a metric is explained by the strongest cause', () => {
  const { base, now } = pairOf('a script added', '12.8.2');
  expect(explained(base, now, { performance: { verdict: 'regressed' } }).sentence).toMatch(
    /^The performance score lost \d+ points: new script \/chat/,
  );
});

describe('the lists', () => {
  test('name requests with their sizes, and tell third parties apart', () => {
    const { requests } = explained(pairOf('an image larger').base, pairOf('an image larger').now);
    expect(requests.larger).toEqual([
      expect.objectContaining({
        url: 'http://127.0.0.1:8000/hero.png',
        type: 'Image',
        thirdParty: false,
        blocking: false,
      }),
    ]);
    const slow = pairOf('a third party slow');
    expect(explained(slow.base, slow.now).requests.slower).toEqual([
      expect.objectContaining({
        url: 'http://localhost:8001/tag.js',
        type: 'Script',
        thirdParty: true,
        blocking: true,
      }),
    ]);
  });

  test('a new build with the same files has no new and no lost requests', () => {
    const { base, now } = pairOf('a new build');
    expect(explained(base, now).requests).toMatchObject({ added: [], gone: [], larger: [], smaller: [] });
  });

  test('name the script that keeps the main thread busy', () => {
    const { base, now } = pairOf('a script added');
    const [first] = explained(base, now).mainThread;
    expect(first).toMatchObject({ url: expect.stringContaining('/chat.1a2b3c4d.js'), baseMs: null });
    expect(first?.ms).toBeGreaterThan(1500);
  });

  test('name the LCP element, the element that moved, and the element without a label', () => {
    const banner = pairOf('another LCP element');
    expect(explained(banner.base, banner.now).lcpElement).toMatchObject({
      changed: true,
      value: { selector: 'body > img.banner', snippet: expect.stringContaining('<img class="banner"') },
    });
    const label = pairOf('a label gone');
    const { elements, audits, lcpElement } = explained(label.base, label.now);
    expect(lcpElement?.changed).toBe(false);
    expect(audits).toContainEqual(expect.objectContaining({ audit: 'label', outcome: 'failed', value: 0 }));
    expect(elements).toContainEqual(
      expect.objectContaining({
        audit: 'label',
        category: 'accessibility',
        change: 'new',
        selector: expect.stringContaining('input#mail'),
      }),
    );
    const notice = pairOf('a notice that shifts the page');
    expect(explained(notice.base, notice.now).layoutShifts).toContainEqual(
      expect.objectContaining({ selector: 'body', base: null }),
    );
  });

  test('have the facts of the document and of its caching', () => {
    const redirect = pairOf('a redirect more');
    expect(explained(redirect.base, redirect.now).document.redirects).toEqual({ base: 0, value: 1 });
    const server = pairOf('a slower server');
    const { base, value } = explained(server.base, server.now).document.serverResponseMs;
    expect((value ?? 0) - (base ?? 0)).toBeGreaterThan(1900);
    const caching = pairOf('a cache header gone');
    expect(explained(caching.base, caching.now).caching).toContainEqual({
      url: 'http://127.0.0.1:8000/hero.png',
      baseSeconds: null,
      seconds: 0,
    });
  });
});

describe('a hostile page', () => {
  const { base, now } = pairOf('an image larger');
  const withRequests = (count: number): Report => {
    const items = Array.from({ length: count }, (_, i) => ({
      url: `http://user:secret@127.0.0.1:8000/${'x'.repeat(3000)}${i}\u202e\u001b[31m`,
      resourceType: 'Script',
      transferSize: 2000 + i,
    }));
    return { ...now, audits: { ...now.audits, 'network-requests': { details: { items } } } };
  };

  test('gets at most ten entries a list, and the number of those left out', () => {
    const short = {
      ...withRequests(0),
      audits: {
        ...now.audits,
        'network-requests': {
          details: {
            items: Array.from({ length: 25 }, (_, i) => ({
              url: `http://127.0.0.1:8000/file-${'abcdefghijklmnopqrstuvwxyz'[i]}`,
              transferSize: 5000,
            })),
          },
        },
      },
    };
    const { requests, omitted } = explained(base, short);
    expect(requests.added).toHaveLength(10);
    expect(omitted['requests.added']).toBe(15);
  });

  test('has facts of at most 5,000 rows a table, because the service that explains them answers others too', () => {
    const items = Array.from({ length: 6000 }, (_, i) => ({
      url: `http://127.0.0.1:8000/?n=${i}`,
      total: 5,
      wastedMs: 5,
    }));
    const tables = Object.fromEntries(
      ['bootup-time', 'font-display-insight'].map((id) => [id, { details: { items } }]),
    );
    const { scripts, hiddenText } = factsOf({ ...now, audits: { ...now.audits, ...tables } });
    expect([scripts.size, hiddenText.size]).toEqual([5000, 5000]);
  });

  test('gets its texts cut, on one line, and without passwords', () => {
    const text = JSON.stringify(explained(base, withRequests(20)));
    expect(text.length).toBeLessThan(20_000);
    expect(text).not.toMatch(/secret|\\u001b|\u202e/);
  });

  test('with tables of another form has an explanation too', () => {
    const odd = (details: object): Report => ({
      ...now,
      audits: Object.fromEntries(Object.entries(now.audits).map(([id, audit]) => [id, { ...audit, details }])),
    });
    for (const details of [{}, { items: 'none' }, { items: [null, 7, {}] }, { items: { a: { value: false } } }]) {
      expect(explained(base, odd(details)).sentence).toMatch(/\.$/);
    }
    expect(explained({ audits: {}, categories: {} }, { audits: {}, categories: {} }, {}).points).toEqual([]);
  });
});
