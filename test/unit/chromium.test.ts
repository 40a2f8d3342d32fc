import { expect, test } from 'vitest';
import { machineNow } from '../../functions/lib/audit-host.ts';
import { chromiumReleasedOn, PACKAGED_CHROMIUM, whyOutdated } from '../../shared/chromium.ts';

const at = (day: string) => new Date(`${day}T12:00:00Z`);
const outdated = (version: string, day: string, file?: string) =>
  whyOutdated(version, chromiumReleasedOn(version, file ? at(file) : undefined) ?? null, at(day));

test.each([
  ['the newest known major', '156.0.8078.108', '2026-11-27', undefined],
  ['two majors behind, within 60 days', '154.0.8037.92', '2026-11-20', undefined],
  [
    'three majors behind',
    '153.0.8010.0',
    '2026-10-25',
    /^Chromium 153 is 39 days old, and 156 has been released since\./,
  ],
  ['older than 60 days', '156.0.8078.108', '2027-01-10', /^Chromium 156 is 81 days old\. A hostile page/],
  ['older than the table', '120.0.6099.28', '2026-11-27', /^Chromium 120 was released before 2025-12-03, and 156 has/],
])('a browser that is %s is judged by its release', (_, version, day, expected) => {
  if (expected) expect(outdated(version, day)).toMatch(expected);
  else expect(outdated(version, day)).toBeUndefined();
});

test('a browser that is newer than the table is as old as its file', () => {
  expect(outdated('160.0.9000.1', '2027-03-01', '2027-02-20')).toBeUndefined();
  expect(outdated('160.0.9000.1', '2027-06-01', '2027-02-20')).toMatch(/^Chromium 160 is 101 days old\./);
  expect(chromiumReleasedOn('156.0.8078.108', at('2026-11-22'))).toBe('2026-10-21'); // the table wins
});

test('where other machines audit, the browser is the packaged one, and nothing is said of guards', () => {
  expect(machineNow(at('2026-11-27'))).toMatchObject({
    chromium: { version: PACKAGED_CHROMIUM, source: 'package', releasedOn: '2026-09-16', ageDays: 72 },
    unguarded: null,
  });
});

test('an installed browser that is outdated is to be updated', () => {
  const chromium = { version: '140.0.7339.16', source: 'installed', releasedOn: null } as const;
  const machine = machineNow(at('2026-11-27'), { chromium, unguarded: ['memory'] });
  expect(machine).toMatchObject({ unguarded: ['memory'], outdated: expect.stringMatching(/Update it\.$/) });
});
