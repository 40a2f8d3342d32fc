import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import type { Interaction } from '../../../shared/interactions/interactions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';
import { inpOf, observedInp, routeLcpOf } from '../../support/vitals.ts';

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

const interactions: Interaction[] = [
  { name: 'slow', steps: [{ click: '#b600' }] },
  { name: 'shadow', steps: [{ click: 'pierce/#shadow' }] },
  { name: 'frame', steps: [{ click: '#inner' }] },
  { name: 'route', steps: [{ click: '#route' }, { waitFor: 'text/The content of the route' }] },
  { name: 'missing', steps: [{ click: '#nowhere' }] },
];

test('an auditor measures each interaction as web-vitals sees it in the page', async () => {
  const results = await measured('13.5.0', interactions);
  const [slow, shadow, frame, route, missing] = results;
  expect(results.map(({ name }) => name)).toEqual(interactions.map(({ name }) => name));
  expect(slow?.longestEvent).toMatchObject({ type: 'click', selector: expect.stringContaining('#b600') });
  expect(slow?.longestEvent?.scripts[0]).toMatchObject({ url: pages.url('/interactions') });
  for (const [each, target] of [
    [slow, '#b600'],
    [shadow, '#host'],
    [frame, '#inner'],
  ] as const)
    expectSame(each, target);
  expect(slow && observedInp(slow)).toBeGreaterThanOrEqual(600);
  const { gzip } = slow?.report ?? {};
  expect(JSON.parse(gunzipSync(gzip ?? Buffer.from('')).toString()).gatherMode).toBe('timespan');
  expect(frame?.inp).toBeGreaterThan(0);
  const routeUrl = pages.url('/interactions/route');
  expect(route?.softNavigation).toMatchObject({ url: routeUrl });
  expect(route?.softNavigation?.lcp).toBeGreaterThanOrEqual(400);
  expect(route?.softNavigation?.lcp).toBeCloseTo(routeLcpOf(pages.vitals, routeUrl) ?? Number.NaN, 0);
  expect(missing).toMatchObject({ inp: null, reason: expect.stringContaining('#nowhere') });
});

test('a click that leads to another document says where it led', async () => {
  const [away] = await measured('10.4.0', [{ name: 'away', steps: [{ click: '#away' }] }]);
  expect(away?.navigatedTo).toBe(pages.url('/perfect'));
});

test('a covered element says so', async () => {
  const [keys, covered] = await measured('11.7.1', [
    { name: 'keys', steps: [{ type: '#q', text: 'a' }] },
    { name: 'covered', steps: [{ click: '#covered' }] },
  ]);
  expectSame(keys, '#q');
  expect(covered?.reason).toContain('#covered');
});

test('a moving element is clicked when it stands still, and keeps its selector when its handler removes it', async () => {
  const [moving] = await measured('12.8.2', [{ name: 'moving', steps: [{ click: '#moving' }] }]);
  expectSame(moving, undefined);
  expect(moving?.longestEvent?.selector).toContain('#moving');
});

type Measured = Awaited<ReturnType<typeof measured>>[number];
/** Expects the INP that web-vitals sees in the same page. Chromium rounds the durations of events to 8 ms for the page only. */
const expectSame = (result: Measured | undefined, target: string | undefined): void => {
  const [ours, theirs] = [result && observedInp(result), inpOf(pages.vitals, target)];
  expect(Math.abs((ours ?? Number.NaN) - (theirs ?? Number.NaN)), JSON.stringify([ours, pages.vitals])).toBeLessThan(8);
};

const measured = async (auditVersion: AuditVersion, asked: Interaction[]) => {
  const known = { url: pages.url('/interactions'), categories: ['performance' as const] };
  const order = anOrder({ ...known, auditVersion, interactions: asked });
  pages.vitals.length = 0;
  const result = await pool.audit(order, new AbortController().signal);
  expect(result.state, JSON.stringify(result)).toBe('succeeded');
  return result.state === 'succeeded' ? (result.interactions ?? []) : [];
};
