import { expect, test } from 'vitest';
import { fullChangeText, regionsText } from '../../clients/words/change.ts';
import { differenceText } from '../../clients/words/differences.ts';
import { presets } from '../../shared/options/throttling.ts';

const ms = (value: number) => `${value}ms`;
const byChecks = { confidence: 0.99, by: 'checks' } as const;
const times = (estimate: number, low: number, high: number, confidence = 0.99) => ({
  change: { ...byChecks, estimate: ms(estimate), low: ms(low), high: ms(high), confidence },
});
const numbers = (estimate: number, low: number, high: number) => ({ change: { ...byChecks, estimate, low, high } });
const none = { noise: null, suspected: false, needs: null };
const needs = (kind: 'turns' | 'checks' | 'samples', count: number) => ({ kind, count });
const moves = (between: string) => ({ noise: { within: '40ms', between, from: 'prior', checks: 2 } }) as const;
const open = { ...none, verdict: 'unknown', needs: needs('samples', 9) } as const;
const told = (verdict: 'regressed' | 'improved' | 'same') => ({ ...none, verdict });
const values = { base: null, value: null };

test.each([
  ['lcp', { ...times(1359, 1246, 2014), ...told('regressed') }, '1.4 s slower (1.2 to 2.0)'],
  ['lcp', { ...times(-400, -900, -120), ...told('improved') }, '400 ms faster (120 to 900)'],
  ['performance', { ...numbers(-5, -8, -3), ...told('regressed') }, '5 points lower (3 to 8)'],
  ['seo', { ...numbers(1, 1, 1), ...told('improved') }, '1 point higher'],
  ['cls', { ...numbers(0.12, 0.1, 0.15), ...told('regressed') }, '0.12 higher (0.10 to 0.15)'],
  ['requests', { ...numbers(-12, -14, -11), ...told('improved') }, '12 fewer (11 to 14)'],
  ['bytes', { ...numbers(204_800, 102_400, 307_200), ...told('regressed') }, '200 KiB more (100 to 300)'],
  ['lcp', { ...times(12, -40, 31), ...told('same') }, 'same, at most 40 ms apart'],
  ['lcp', { ...times(0, 0, 0), ...told('same') }, 'same'],
  ['lcp', { ...times(75, -60, 210), ...open }, 'no clear change, at most 210 ms slower; 9 samples a side would tell'],
  [
    'tbt',
    { ...times(20, -190, 230), ...open, ...moves('190ms'), needs: needs('checks', 4) },
    'no clear change, at most 230 ms slower; 4 checks a side would tell. Its TBT moves by some 190 ms from check to check',
  ],
  [
    'tbt',
    { ...times(190, -20, 400), ...open, ...moves('190ms'), suspected: true, needs: needs('turns', 100) },
    'perhaps 190 ms slower, or chance; 100 or more pairs in turns would tell. Its TBT moves by some 190 ms from check to check',
  ],
  [
    'performance',
    { ...numbers(-1, -6, 4), ...open },
    'no clear change, at most 6 points lower; 9 samples a side would tell',
  ],
  [
    'lcp',
    { ...times(40, 5, 90), ...open, suspected: true },
    'perhaps 40 ms slower, or chance; 9 samples a side would tell',
  ],
  ['lcp', { ...times(-40, -90, 0), ...open }, 'no clear change, at most 90 ms faster; 9 samples a side would tell'],
  [
    'performance',
    { ...numbers(1, 0, 4), ...open },
    'no clear change, at most 4 points higher; 9 samples a side would tell',
  ],
  ['lcp', { ...times(40, 40, 40, 0), ...open }, 'too few samples; 9 samples a side would tell'],
  ['lcp', { ...times(75, -60, 210), ...open, needs: null }, 'not comparable (−60 to +210 ms)'],
  ['lcp', { change: null, ...open, needs: null }, 'not measured on both sides'],
] as const)('the change of %s in words: case %#', (name, compared, text) => {
  expect(fullChangeText(name, { ...values, ...compared })).toBe(text);
});

test('the difference of regions names the better one', () => {
  const metric = { ...none, values: {}, best: 'us-west1', worst: 'us-east4' } as const;
  const different = { ...metric, ...times(1359, 1246, 2014), verdict: 'different' } as const;
  expect(regionsText('lcp', different)).toBe('us-west1 better by 1.4 s (1.2 to 2.0)');
  expect(regionsText('lcp', { ...metric, ...times(75, -60, 210), ...open })).toBe('at most 210 ms apart');
  expect(regionsText('lcp', { ...metric, change: null, verdict: 'unknown' })).toBe('');
});

test('a difference of the inputs names both values', () => {
  expect(differenceText({ code: 'url', base: 'https://a.example/', value: 'https://b.example/' })).toBe(
    'The URLs differ: https://a.example/ and https://b.example/.',
  );
  expect(differenceText({ code: 'blockedUrlPatterns', base: [], value: ['*/ads/*', '*/t/*'] })).toBe(
    'The blocked URL patterns differ: none and */ads/*, */t/*.',
  );
  expect(differenceText({ code: 'throttling', base: presets.mobile, value: 'none' })).toMatch(
    /^The throttlings differ: 150 ms round trip, .+ and none\.$/,
  );
});
