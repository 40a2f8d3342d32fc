import { expect, test } from 'vitest';
import { parseCheckBody } from '../../functions/lib/http/check-body.ts';
import { countAudits } from '../../shared/check.ts';
import { presets } from '../../shared/options/throttling.ts';
import { acceptedAgainst } from '../../shared/options/variants.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { problemFrom } from '../support/problem.ts';

const rules = { regions: ['us-west1', 'us-east4'], targets: { targets: 'public', ports: DEFAULT_PORTS } } as const;
const aBody = { url: 'https://example.com/', auditVersion: '13', regions: ['us-west1'] };
const inputsOf = (against: unknown, more: object = {}) => parseCheckBody({ ...aBody, ...more, against }, rules).inputs;
const errorsOf = (against: unknown, more: object = {}) => problemFrom(() => inputsOf(against, more));

test.each([
  [{ url: 'https://www.example.com/' }],
  [{ device: 'desktop' }],
  [{ throttling: 'none' }],
  [{ throttling: { ...presets.mobile, rttMs: 300 } }],
  [{ blockedUrlPatterns: ['*://ads.example.net/*'] }],
  [{ url: 'https://example.com/', device: 'desktop' }],
])('%j is a second variant, and comes back as sent', (against) => {
  expect(inputsOf(against).against).toEqual(against);
});

test('the name of a version becomes the exact version', () => {
  expect(inputsOf({ auditVersion: '12' }).against).toEqual({ auditVersion: '12.8.2' });
});

test.each([
  ['nothing', {}, {}],
  ['the same values', { url: 'https://example.com/', device: 'mobile', auditVersion: 'latest' }, {}],
  ['the URL in another spelling', { url: 'HTTPS://EXAMPLE.com' }, { url: 'https://example.com/' }],
  ['the values of the preset', { throttling: presets.mobile }, {}],
  [
    'the same patterns in another order',
    { blockedUrlPatterns: ['b-', 'a-'] },
    { blockedUrlPatterns: ['a-', 'b-', 'a-'] },
  ],
  ['no pattern', { blockedUrlPatterns: [] }, {}],
])('a second variant with %s changes nothing and is refused', (_, against, more) => {
  const { code, errors } = errorsOf(against, more);
  expect([code, errors]).toEqual(['invalid-request', [{ path: 'against', message: acceptedAgainst }]]);
});

test.each([
  ['a text', 'https://www.example.com/', 'invalid-request', 'against', /must be an object/],
  ['an unknown field', { samples: 3 }, 'invalid-request', 'against.samples', /Accepted fields: url, device/],
  ['an unknown device', { device: 'tablet' }, 'invalid-request', 'against.device', /mobile, desktop/],
  [
    'an unknown version',
    { auditVersion: '8' },
    'unsupported-audit-version',
    'against.auditVersion',
    /12\.8\.2 \(or 12, 12\.8\)/,
  ],
  ['a private address', { url: 'http://10.0.0.1/' }, 'forbidden-target', 'against.url', /public/],
  ['the address of metadata', { url: 'http://169.254.169.254/' }, 'forbidden-target', 'against.url', /public/],
  ['no URL', { url: 'production' }, 'invalid-request', 'against.url', /http/],
])('%s is refused, and the error names the field', (_, against, code, path, message) => {
  const problem = errorsOf(against);
  expect(problem.code).toBe(code);
  expect(problem.errors).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test('the second variant is judged together with what it takes from the check', () => {
  const pattern = { blockedUrlPatterns: ['www.'] };
  expect(errorsOf({ url: 'https://www.example.com/' }, pattern).errors).toMatchObject([{ path: 'against.url' }]);
  const own = errorsOf({ blockedUrlPatterns: ['ads.', 'example'] });
  expect(own.errors).toMatchObject([{ path: 'against.blockedUrlPatterns.1' }]);
  const pwa = errorsOf({ auditVersion: '13' }, { auditVersion: '11', categories: ['pwa'] });
  expect(pwa.errors).toMatchObject([
    { path: 'against.auditVersion', message: expect.stringMatching(/no category pwa/) },
  ]);
});

test('the errors of the check and of its second variant are reported at once', () => {
  const problem = errorsOf({ url: 'http://10.0.0.1/', device: 7 }, { url: 'http://10.0.0.2/', samples: 'x' });
  expect(problem.errors?.map(({ path }) => path)).toEqual(['samples', 'against.device', 'url', 'against.url']);
});

test('both variants count in the limits', () => {
  const inputs = { ...aBody, samples: 5, regions: ['us-west1', 'us-east4'] as ['us-west1', 'us-east4'] };
  expect([countAudits(inputs), countAudits({ ...inputs, against: { device: 'desktop' } })]).toEqual([10, 20]);
});
