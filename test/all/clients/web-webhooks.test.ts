import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDeliveryPoller } from '../../support/delivery-poller.ts';
import { type Received, startReceiver, verified } from '../../support/receiver.ts';
import { elementOf, expectAccessible, overflowOf, press, untilShown } from '../../support/web-browser.ts';
import { type Site, startSite } from '../../support/web-site.ts';

let site: Site;
let poller: Awaited<ReturnType<typeof startDeliveryPoller>>;
beforeAll(async () => {
  site = await startSite({ TARGETS: 'local' });
  poller = await startDeliveryPoller(site.world);
});
afterAll(async () => {
  await poller.stop(2000);
  await site.stop();
});

test('a webhook is created, tested, sent again, given a new secret and deleted on the page', async () => {
  const receiver = await startReceiver();
  await using view = await site.open('/webhooks', { width: 360 });
  const { page, errors } = view;
  page.on('dialog', (dialog) => dialog.accept());
  await untilShown(page, 'There is no webhook yet.');
  await (await elementOf(page, '[name=webhook-url]')).type('http://10.0.0.1/');
  await press(page, 'Create a webhook');
  await page.waitForSelector('[aria-invalid=true]');
  await expectAccessible(page);

  await page.$eval('input[type=url]', (field) => {
    field.value = '';
  });
  await (await elementOf(page, '[name=webhook-url]')).type(receiver.url);
  await (await elementOf(page, '[name=events][value="check.completed"]')).click();
  await press(page, 'Create a webhook');
  await untilShown(page, 'Choose at least one event.');
  await (await elementOf(page, '[name=events][value="page.regressed"]')).click();
  await (await elementOf(page, '[name=events][value="page.recovered"]')).click();
  await press(page, 'Create a webhook');
  await untilShown(page, 'page.regressed, page.recovered');
  await untilShown(page, 'Copy it now, because nobody can read it again.');
  const secret = await page.$eval('input[readonly]', ({ value }) => value);
  await press(page, 'Send a test');
  await untilShown(page, '✔ succeeded');
  const [first] = receiver.received as [Received];
  expect(verified(secret, first)).toMatchObject({ type: 'webhook.test' });
  await press(page, 'Send again');
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[1]?.headers['webhook-id']).toBe(first.headers['webhook-id']);
  await press(page, 'New secret');
  await untilShown(page, 'The earlier secret signs too until');
  await expectAccessible(page);
  expect(await overflowOf(page)).toBe(0);

  await press(page, 'Delete');
  await untilShown(page, 'There is no webhook yet.');
  expect(errors).toEqual([]);
  await receiver.stop();
});
