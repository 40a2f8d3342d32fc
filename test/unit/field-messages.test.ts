import { expect, test } from 'vitest';
import { faultsOf } from '../../clients/web/new-check/form-inputs.ts';
import { messageAt } from '../../clients/web/requests/field-messages.ts';
import { messageOfKey, messageOfLimit } from '../../clients/web/requests/own-messages.ts';
import { parseCheckBody } from '../../functions/lib/http/check-body.ts';
import { parseCheckList, parseRunList } from '../../functions/lib/http/list-query.ts';
import { ApiProblemError, type InputError } from '../../shared/problems.ts';
import { allRegions } from '../../shared/regions.ts';

const targets = { targets: 'public', ports: [80, 443], allowed: [] } as const;
const good = { url: 'https://example.com/', auditVersion: 'latest', regions: ['us-west1'] };

/** Returns the errors with which the service refuses something. */
const errorsOf = (act: () => unknown): readonly InputError[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiProblemError) return error.errors ?? [];
    throw error;
  }
  return [];
};
const refused = (body: object) =>
  errorsOf(() => parseCheckBody({ ...good, ...body }, { regions: allRegions, targets }));

/** Words of requests. A form has no objects, lists and bodies. */
const apiWords =
  /must be an? (?:object|list|string|text)|basicAuth|storageState must|`|\bSend\b|audit version|Supported/;

const cookie = { name: 'a', value: 'b', domain: 'other.example' };
test.each<[field: string, body: object, text: string]>([
  ['url', { url: '' }, 'Enter a URL that starts with https://'],
  ['url', { url: 'https://u:p@example.com/' }, 'The URL must not contain a user name or a password.'],
  ['url', { url: 'http://10.0.0.1/' }, 'The host must be a public name or IP address.'],
  ['auditVersion', { auditVersion: '8' }, 'The service does not offer this Lighthouse version. Reload the page'],
  ['regions', { regions: [] }, 'Choose at least one region.'],
  ['regions', { regions: ['mars'] }, 'The service does not offer one of these regions. Reload the page'],
  ['categories', { categories: ['x'] }, 'The service does not offer these categories. Reload the page'],
  ['categories', { categories: ['pwa'] }, 'Lighthouse 13.5.0 has no category pwa. Untick it'],
  ['labels', { labels: { 'Über uns': '1' } }, 'Write at most 10 labels, each on a line of its own'],
  [
    'throttling',
    { throttling: { rttMs: 1, throughputKbps: 900, cpuSlowdownMultiplier: 99 } },
    'Enter a number from 1 to 20.',
  ],
  ['throttling', { throttling: 'much' }, 'Choose a throttling of the list.'],
  ['blockedUrlPatterns', { blockedUrlPatterns: ['a', 'x'.repeat(201)] }, 'See entry 2. Write at most 50 patterns'],
  ['blockedUrlPatterns', { blockedUrlPatterns: ['*/'] }, 'See entry 1. The pattern "*/" blocks the page itself.'],
  ['against', { against: {} }, 'Change at least one field here'],
  ['against', { against: { url: 'ftp://x' } }, 'Enter a URL that starts with https://'],
  ['simulations', { simulations: ['3g', { name: 'A b' }] }, 'See entry 2. Write at most 8 simulations'],
  ['simulations', { simulations: ['3g', '3g'] }, 'Two simulations have the same name.'],
  ['simulations', { simulations: ['3g'], categories: ['seo'] }, 'Simulations need the category performance.'],
  ['headers', { headers: { host: 'a' } }, 'Write at most 20 headers, each on a line of its own'],
  [
    'headers',
    { headers: { a: 'x'.repeat(66_000) } },
    'Headers, password, cookies, storage state and secret texts have 66',
  ],
  ['basicAuth', { basicAuth: { username: '', password: '' } }, 'Enter a user name without a colon, and a password.'],
  [
    'basicAuth',
    { basicAuth: { username: 'a', password: 'b' }, headers: { Authorization: 'c' } },
    'Enter a user name here, or an Authorization header above, and not both.',
  ],
  ['cookies', { cookies: 'a=b' }, "Use at most 180 cookies of the page's site."],
  ['cookies', { cookies: [cookie] }, 'See entry 1. other.example does not belong to example.com, the site of the URL.'],
  ['storageState', { storageState: 'x' }, "Choose the file that Playwright's context.storageState() writes"],
  ['assertions', { assertions: '{' }, 'This is not the JSON of assertions.'],
  ['assertions', { assertions: { imageAlt: 'warn' } }, 'imageAlt: Write the key with hyphens'],
])('the page says what to do about a wrong %s: %j', (field, body, text) => {
  const errors = refused(body);
  expect(errors.map(({ path }) => path.split('.')[0])).toContain(field);
  const texts = errors.map(messageAt);
  expect(texts).toContainEqual(expect.stringContaining(text));
  for (const each of texts) expect(each).not.toMatch(apiWords);
});

test.each([
  ['url=example', 'Enter a URL that starts with https://'],
  ['label=main', 'Enter a name, a colon and a value, such as branch:main.'],
  ['device=tablet', 'Choose a device of the list.'],
  ['region=mars', 'Choose a region of the list.'],
  ['state=odd', 'Choose a state of the list.'],
])('the page says what to do about a wrong filter %s', (rawQuery, text) => {
  const parse = rawQuery.startsWith('region') ? parseRunList : parseCheckList;
  const errors = errorsOf(() => parse({ rawQuery }));
  expect(errors.map(messageAt)).toEqual([expect.stringContaining(text)]);
});

test('the page says what to do about a refused key, a limit, and a region that is paused meanwhile', () => {
  expect(messageAt({ path: 'regions', message: 'Paused: us-east4, us-west1.' })).toContain(
    'paused us-east4, us-west1.',
  );
  expect(messageOfKey('The API key is expired. Use an active key.')).toContain('It is expired. Enter another key');
  expect(messageOfKey('A new reason.')).toBe('A new reason.');
  expect(messageOfLimit('An owner can have 5 webhooks. Delete one before you create another.')).toContain('5 webhooks');
  expect(messageOfLimit('The plan allows 60 runs an hour. Retry in 9 s.')).toBeUndefined();
});

test('a line without a colon is a fault of labels and headers', () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ url: 'example.com', regions: 'a', device: 'mobile' }))
    form.set(name, value);
  form.set('labels', 'branch: main\n\nmain');
  form.set('headers', ': abc');
  expect(faultsOf(form).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'labels: Line 3 must have a name, a colon and a value, such as branch: main.',
    'headers: Line 1 has no name and value. Write it as name: value.',
  ]);
});
