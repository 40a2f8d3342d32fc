import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../../functions/sweep.ts';
import type { Schedule, ScheduleList } from '../../../shared/schedules.ts';
import type { Scope } from '../../../shared/service/keys.ts';
import { elementOf, expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ AUTH: 'keys' });
});
afterAll(() => site.stop());

const newKey = (...scopes: Scope[]) => site.world.newKey({ owner: 'acme', scopes });
const enterKey = async (page: Page, { text }: { text: string }): Promise<void> => {
  await untilShown(page, 'This service needs an API key');
  await (await elementOf(page, '#api-key')).type(text);
  await page.keyboard.press('Enter');
};
/** Replaces the text of a field, as a person does. */
const fill = async (page: Page, name: string, text: string): Promise<void> => {
  await (await elementOf(page, `#${name}`)).focus();
  await page.$eval(`#${name}`, (field) => (field as HTMLInputElement).select());
  await page.keyboard.type(text);
};
const errorAt = (page: Page, name: string) =>
  page.waitForSelector(`#${name}-error`).then((error) => error?.evaluate(({ textContent }) => textContent));

test('a schedule is created, paused, resumed and deleted on the page, which links its last check', async () => {
  const key = await newKey('checks:read', 'checks:write', 'schedules:write');
  await using view = await site.open('/', { width: 360 });
  const { page, errors } = view;
  await enterKey(page, key);
  page.on('dialog', (dialog) => dialog.accept());
  await press(page, 'Schedules');
  await untilShown(page, 'There is no schedule yet.');
  expect(await page.$eval('.places [aria-current]', ({ textContent }) => textContent)).toBe('Schedules');
  await fill(page, 'schedule-url', 'http://10.0.0.1/');
  await fill(page, 'times', '4m');
  await press(page, 'Create a schedule');
  expect(await errorAt(page, 'schedule-name')).toContain('Give the schedule a name');
  expect(await errorAt(page, 'schedule-url')).toContain('address');
  expect(await errorAt(page, 'times')).toContain('Write an interval of at least 5 minutes, such as 30m');
  expect(await page.$('[name=time-zone]')).toBeNull();
  await expectAccessible(page);

  await fill(page, 'schedule-name', 'Shop \u202e');
  await fill(page, 'schedule-url', 'shop.example.com');
  await fill(page, 'times', '0 6 * * 1-5');
  await fill(page, 'time-zone', 'Europe/Nowhere');
  await press(page, 'Create a schedule');
  expect(await errorAt(page, 'time-zone')).toContain('such as Europe/Berlin');
  await fill(page, 'time-zone', 'Europe/Berlin');
  await press(page, 'Create a schedule');
  await untilShown(page, 'Its first check is at');
  await untilShown(page, '0 6 * * 1-5 (Europe/Berlin)');
  await untilShown(page, 'Last result: no check yet');
  expect(await page.$eval('section h2 bdi', ({ textContent }) => textContent)).toBe('Shop \u202e');
  expect(await page.$('[name=time-zone]')).toBeNull();
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  const listed = async () => {
    const headers = { authorization: `Bearer ${key.text}` };
    return ((await (await fetch(`${site.url}/v1/schedules`, { headers })).json()) as ScheduleList).schedules;
  };
  const [created] = await listed();
  expect(created).toMatchObject({
    check: { url: 'https://shop.example.com', regions: ['us-west1', 'europe-north1'], device: 'mobile' },
  });
  await press(page, 'Edit');
  expect(await page.$eval('#time-zone', (field) => (field as HTMLInputElement).value)).toBe('Europe/Berlin');
  await fill(page, 'times', '6h');
  await (await elementOf(page, '[name=samples]')).select('5');
  await (await elementOf(page, '[name=device][value=mobile]')).click();
  await (await elementOf(page, '[name=device][value=desktop]')).click();
  await expectAccessible(page);
  await press(page, 'Save');
  await untilShown(page, 'is changed.');
  const [saved] = await listed();
  expect(saved).toMatchObject({ every: '6h', check: { ...created?.check, samples: 5, device: 'desktop' } });
  const due = new Date(saved?.nextAt as string);
  await sweep({ ...site.world, now: () => due })({});
  await page.reload();
  await untilShown(page, 'check created');
  const checkId = (await listed())[0]?.last?.checkId;
  expect(await page.$eval('a[href^="/checks/"]', (link) => link.getAttribute('href'))).toBe(`/checks/${checkId}`);

  const both = ['Both (mobile)', 'Both (desktop)'];
  await fill(page, 'schedule-name', 'Both');
  await fill(page, 'schedule-url', 'shop.example.com');
  await fill(page, 'times', '1d');
  for (const device of ['mobile', 'desktop'])
    if (!(await page.$(`[name=device][value=${device}]:checked`)))
      await (await elementOf(page, `[name=device][value=${device}]`)).click();
  await press(page, 'Create a schedule');
  await untilShown(page, 'Both (desktop)\u2069 is created.');
  const made = (await listed()).slice(1);
  expect(made.map(({ name, check }) => [name, check.device])).toEqual([
    [both[0], 'mobile'],
    [both[1], 'desktop'],
  ]);
  for (const { id } of made)
    await fetch(`${site.url}/v1/schedules/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key.text}` },
    });
  await page.reload();
  await untilShown(page, 'check created');
  await press(page, 'Pause');
  await untilShown(page, 'Paused since');
  await press(page, 'Resume');
  await untilShown(page, 'Next check:');
  await press(page, 'Delete');
  await untilShown(page, 'There is no schedule yet.');
  await untilShown(page, 'is deleted.');
  expect(errors).toEqual([]);
});

test('a check that could not be created has its reason, and a key without the scope gets a clear message', async () => {
  const headers = { authorization: `Bearer ${(await newKey('schedules:write')).text}` };
  const check = { url: 'https://shop.example.com/', auditVersion: 'latest', regions: ['us-east4'] };
  const answer = await fetch(`${site.url}/v1/schedules`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Shop', every: '6h', check }),
  });
  const { nextAt } = (await answer.json()) as Schedule;
  await site.world.regions.pause('us-east4', new Date());
  await sweep({ ...site.world, now: () => new Date(nextAt as string) })({});
  await site.world.regions.resume('us-east4');

  await using view = await site.open('/schedules');
  const { page, errors } = view;
  await enterKey(page, await newKey('checks:read'));
  await untilShown(page, 'This request needs an API key with the scope schedules:write.');
  await untilShown(page, 'enter one that has the scope');
  expect(await page.$('#schedule-url')).toBeNull();
  await expectAccessible(page);
  await press(page, 'Forget');
  await enterKey(page, await newKey('schedules:write'));
  await untilShown(page, '✘ no check: These regions are paused: us-east4.');
  expect(await page.$('a[href^="/checks/"]')).toBeNull();
  await expectAccessible(page);
  expect(errors).toEqual([]);
});
