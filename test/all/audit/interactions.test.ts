import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';

let pages: Awaited<ReturnType<typeof servePages>>;
let pool: ReturnType<typeof auditors>;
beforeAll(async () => {
  pages = await servePages();
  pool = auditors({ targets: { targets: 'local', ports: [] }, ...testChromium(), auditorDir: await auditorDir() });
});
afterAll(async () => {
  await pool.close();
  await pages.close();
});

const interactions = [
  { name: 'slow', steps: [{ click: '#b600' }] },
  { name: 'shadow', steps: [{ click: 'pierce/#shadow' }] },
  { name: 'frame', steps: [{ click: '#inner' }] },
  { name: 'route', steps: [{ click: '#route' }, { waitFor: 'text/The content of the route' }] },
  { name: 'missing', steps: [{ click: '#nowhere' }] },
];

test('an auditor measures each interaction', async () => {
  const results = await measured('13.5.0', interactions);
  const [slow, shadow, frame, route, missing] = results;
  expect(results.map(({ name }) => name)).toEqual(interactions.map(({ name }) => name));
  expect(slow?.longestEvent).toMatchObject({ type: 'click', selector: expect.stringContaining('#b600') });
  expect(slow?.inp).toBeGreaterThan(shadow?.inp ?? Number.POSITIVE_INFINITY);
  const { gzip } = slow?.report ?? {};
  expect(JSON.parse(gunzipSync(gzip ?? Buffer.from('')).toString()).gatherMode).toBe('timespan');
  expect(frame?.inp).toBeGreaterThan(0);
  expect(route?.softNavigation).toMatchObject({ url: pages.url('/interactions/route') });
  expect(missing).toMatchObject({ inp: null, reason: expect.stringContaining('#nowhere') });
});

test('a click that leads to another document says where it led, and a covered element says so', async () => {
  const [covered, away] = await measured('10.4.0', [
    { name: 'covered', steps: [{ click: '#covered' }] },
    { name: 'away', steps: [{ click: '#away' }] },
  ]);
  expect(covered?.reason).toContain('#covered');
  expect(away?.navigatedTo).toBe(pages.url('/perfect'));
});

const measured = async (auditVersion: AuditVersion, asked: typeof interactions) => {
  const order = anOrder({ url: pages.url('/interactions'), auditVersion, interactions: asked as never });
  const result = await pool.audit(order, new AbortController().signal);
  expect(result.state, JSON.stringify(result)).toBe('succeeded');
  return result.state === 'succeeded' ? (result.interactions ?? []) : [];
};
