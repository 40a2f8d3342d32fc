import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditors } from '../../../functions/auditor/parent/auditors.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import type { Interaction } from '../../../shared/interactions/interactions.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { secretsIn } from '../../support/leaks.ts';
import { anOrder } from '../../support/order.ts';
import { servePages } from '../../support/pages.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let pages: Awaited<ReturnType<typeof servePages>>;
let pool: ReturnType<typeof auditors>;
beforeAll(async () => {
  pages = await servePages();
  const targets = { targets: 'local', ports: [] } as const;
  pool = auditors({ targets, ...testChromium(), auditorDir: await auditorDir(), timedAtOnce: 3 });
});
afterAll(async () => {
  await pool.close();
  await pages.close();
});

/** Returns the result of an audit whose load costs little, and its interactions by their names. */
const audited = async (
  auditVersion: AuditVersion,
  asked: Record<string, Interaction['steps']>,
  secretText?: string,
) => {
  const interactions = Object.entries(asked).map(([name, steps]) => ({ name, steps }));
  const given = { url: pages.url('/odd'), auditVersion, interactions, skipOptionalParts: true };
  const order = {
    ...anOrder({ ...given, categories: ['seo'] }),
    ...(secretText !== undefined && { secrets: { secretTexts: { password: secretText } } }),
  };
  const result = await pool.audit(order, new AbortController().signal);
  if (result.state !== 'succeeded') throw new Error(JSON.stringify(result));
  return { result, of: Object.fromEntries((result.interactions ?? []).map((each) => [each.name, each])) };
};

const textOf = (report: { gzip: Buffer } | undefined): string => (report ? gunzipSync(report.gzip).toString() : '');

test.concurrent('an interaction that hangs, or that lacks its element, costs itself only', async () => {
  const { of } = await audited('13.5.0', {
    forever: [{ click: '#forever' }, { click: '#start' }],
    windows: [{ click: '#popup' }, { waitFor: 'text/The window is closed.' }, { click: '#tab' }],
    dialogs: [
      { click: '#dialogs' },
      { waitFor: 'text/Confirmed: true. Prompted: true.' },
      ...[{ click: '#file' }, { click: '#download' }, { click: '#ask' }],
    ],
    moving: [{ click: '#start' }, { click: '#mover' }, { waitFor: 'text/Caught.' }],
    missing: [{ click: 'text/Odd interactions' }, { type: '#nowhere', text: 'abc' }, { click: '#start' }],
  });
  expect(of.forever).toMatchObject({ inp: null, navigatedTo: null });
  expect(of.forever?.reason).toBe('The page did not respond within 10 s. The service ended its script.');
  expect(of.windows).toMatchObject({ navigatedTo: null, reason: expect.not.stringContaining('failed') }); // a new window hides the paint
  for (const name of ['dialogs', 'moving'])
    expect(of[name], name).toMatchObject({ inp: expect.any(Number), navigatedTo: null, reason: null });
  expect(textOf(of.moving?.report)).toContain('data:image/'); // a picture of a page without secret texts
  expect(of.missing?.reason).toBe('Step 2 (type #nowhere) failed: The page has no such visible element.');
});

test.concurrent('another document is a result, and fails only the step that needs the earlier one', async () => {
  const { result, of } = await audited('10.4.0', {
    frame: [{ click: 'pierce/#inner' }, { waitFor: 'text/In the shadow.' }, { type: '#day', text: '2026-11-28' }],
    covered: [{ waitFor: 'text/The day is 2026-11-28.' }, { click: '#covered' }],
    leave: [{ click: '#leave' }, { waitFor: '#start' }],
    private: [{ click: '#private' }],
  });
  expect(of.frame).toMatchObject({ inp: expect.any(Number), reason: null });
  expect(of.covered?.reason).toBe('Step 2 (click #covered) failed: It is covered by <span id="cover">.');
  const again = pages.url('/odd?again=1');
  expect(of.leave).toMatchObject({ navigatedTo: again, reason: `The page navigated to ${again}.` });
  expect(of.private).toMatchObject({ navigatedTo: 'http://10.0.0.1/private' });
  expect(of.private?.reason).toMatch(/^The page navigated to http:\/\/10\.0\.0\.1\/private, which failed: ERR_/);
  expect(result.blockedRequests).toEqual([expect.objectContaining({ host: '10.0.0.1' })]);
});

test.concurrent('a secret text reaches the page at once and its own site only, and no result or picture shows it', async () => {
  const secret = 'Geheim&Wort/4711 "x"';
  const step = (type: string) => ({ type, text: { secret: 'password' } });
  const { result, of } = await audited(
    '13.5.0',
    {
      typed: [step('#password'), { waitFor: '#echo' }],
      foreign: [step('#foreign-password')],
      sent: [step('#password'), { press: 'Enter' }],
    },
    secret,
  );
  expect(of.typed).toMatchObject({ reason: expect.not.stringContaining('failed') });
  const typed = [...pages.hits.keys()].filter((path) => path.startsWith('/typed/'));
  expect(typed).toEqual([`/typed/${encodeURIComponent(secret)}`]);
  expect(of.foreign?.reason).toContain('Step 1 (type #foreign-password) failed: The secret text is for the site of');
  expect(of.foreign?.reason).toContain('http://other.localhost');
  expect(of.sent?.navigatedTo).toBe(pages.url('/odd?sent=[secret]'));
  const reports = [of.typed?.report, of.foreign?.report, of.sent?.report].map(textOf);
  expect(reports[0]).toContain('/typed/[secret]');
  for (const report of reports) expect(report).not.toContain('data:image/');
  const all = [JSON.stringify(result), ...reports, textOf(result.report)];
  expect(secretsIn(Buffer.from(all.join('\n')), [secret])).toEqual([]);
});
