import { expect, test } from 'vitest';
import { checksOf } from '../../clients/web/new-check/form-inputs.ts';
import { presets } from '../../shared/options/throttling.ts';

/** Returns a form with these fields, as a browser sends it. */
const formOf = (fields: Record<string, string> = {}) => {
  const form = new FormData();
  const usual = { url: ' https://example.com/ ', regions: 'us-west1', device: 'mobile', samples: '3' };
  const empty = { auditVersion: '', throttling: '', blockedUrlPatterns: '', labels: '' };
  for (const [name, value] of Object.entries({ ...usual, ...empty, ...fields })) form.set(name, value);
  return form;
};
const inputsOf = (form: FormData) => checksOf(form, 'b')[0];
const needed = {
  url: 'https://example.com/',
  auditVersion: 'latest',
  regions: ['us-west1'],
  device: 'mobile',
  samples: 3,
};

const aCookie = { name: 'a', value: 'b' };

test.each([
  ['nothing more', {}, {}],
  ['assertions', { assertions: ' {"image-alt": "warn"} ' }, { assertions: { 'image-alt': 'warn' } }],
  ['assertions that are no JSON, as text', { assertions: '{"image-alt"' }, { assertions: '{"image-alt"' }],
  ['no throttling', { throttling: 'none' }, { throttling: 'none' }],
  [
    'custom throttling',
    {
      throttling: 'custom',
      'throttling.rttMs': '150',
      'throttling.throughputKbps': '1638.4',
      'throttling.cpuSlowdownMultiplier': '4',
    },
    { throttling: presets.mobile },
  ],
  [
    'patterns on lines of their own',
    { blockedUrlPatterns: '\r\n *.js \r\n\r\nhttps://a.example/?b, c' },
    { blockedUrlPatterns: ['*.js', 'https://a.example/?b, c'] },
  ],
  [
    'simulations',
    { simulations: '3g\ntrain=800/200/4\nwrong=1/2' },
    {
      simulations: ['3g', { name: 'train', rttMs: 800, throughputKbps: 200, cpuSlowdownMultiplier: 4 }, 'wrong=1/2'],
    },
  ],
  [
    'secrets, without those of other sites',
    {
      headers: 'x-preview: a: b\n\nauthorization:Bearer c\nCookie: view=2',
      'basicAuth.username': 'anna',
      'basicAuth.password': ' spaces ',
      cookies: '.example.com\tTRUE\t/\tFALSE\t\ta\tb\ntracker.example\tFALSE\t/\tFALSE\t\tc\td',
      storageState: JSON.stringify({
        cookies: [
          { ...aCookie, domain: 'login.example.com' },
          { ...aCookie, domain: 'example.org' },
        ],
        origins: [{ origin: 'https://www.example.com/' }, { origin: 'https://tracker.example' }],
      }),
    },
    {
      headers: { 'x-preview': 'a: b', authorization: 'Bearer c' },
      basicAuth: { username: 'anna', password: ' spaces ' },
      cookies: [
        { name: 'view', value: '2', domain: 'example.com' },
        { ...aCookie, domain: '.example.com', path: '/', secure: false, httpOnly: false, expires: -1 },
      ],
      storageState: {
        cookies: [{ ...aCookie, domain: 'login.example.com' }],
        origins: [{ origin: 'https://www.example.com', localStorage: [] }],
      },
    },
  ],
  [
    'a second variant',
    { 'against.url': ' https://b.example/ ', 'against.device': 'desktop', 'against.blockedUrlPatterns': 'ads\n\n*.js' },
    { against: { url: 'https://b.example/', device: 'desktop', blockedUrlPatterns: ['ads', '*.js'] } },
  ],
  [
    'a second variant without throttling and with nothing blocked',
    { 'against.throttling': 'none', 'against.nothingBlocked': 'yes', 'against.auditVersion': '' },
    { against: { throttling: 'none', blockedUrlPatterns: [] } },
  ],
  ['labels', { labels: 'branch: main\nnote:a:b\nwrong' }, { labels: { branch: 'main', note: 'a:b', wrong: '' } }],
])('a form with %s', (_, fields, inputs) => {
  expect(inputsOf(formOf(fields))).toEqual({ ...needed, ...inputs });
});

test('several URLs and devices are a check each, with a label that finds them together', () => {
  const form = formOf({ url: 'example.com\nhttps://example.org/a example.com localhost:3000', labels: 'branch: main' });
  form.append('device', 'desktop');
  const checks = checksOf(form, 'b1');
  expect(checks.map(({ url, device }) => `${device} ${url}`)).toEqual([
    'mobile https://example.com',
    'desktop https://example.com',
    'mobile https://example.org/a',
    'desktop https://example.org/a',
    'mobile http://localhost:3000',
    'desktop http://localhost:3000',
  ]);
  for (const { labels } of checks) expect(labels).toEqual({ branch: 'main', batch: 'b1' });
});
