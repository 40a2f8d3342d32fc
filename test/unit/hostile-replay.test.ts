import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RunResult } from '../../functions/auditor/verdict/attempts.ts';
import { hostilePages } from '../pages/hostile/index.ts';
import { attemptsOn, type HostilePage } from '../support/hostile-server.ts';
import { type RecordedAudit, readRecording } from '../support/recording.ts';
import { replay, replayRun } from '../support/replay.ts';

test('every hostile page has a recording', () => {
  const files = readdirSync(new URL('../recorded/hostile/', import.meta.url));
  expect(files.sort()).toEqual(
    Object.keys(hostilePages)
      .map((name) => `${name}.json`)
      .sort(),
  );
});

const rows = Object.entries(hostilePages).map(([name, page]) => ({ name, page }));
/** `npm run record` records these audits. */
describe.each(rows)('the recorded audits of $name', ({ name, page }) => {
  test('end at their last event, stopped for the recorded reason', () => {
    for (const audit of readRecording(name)) {
      const { end, atMs, events } = replay(audit);
      const stoppedBy = end.how === 'stopped' ? end.why : null;
      expect({ events, stoppedBy }).toEqual({ events: audit.events.length, stoppedBy: audit.stoppedBy });
      if (!page.early) continue;
      expect(stoppedBy).not.toBeNull();
      expect(atMs).toBeLessThanOrEqual(1000 * (page.early === true ? 4 : page.early));
    }
  });

  test('give the result of the page after as many attempts', () => {
    const audits = readRecording(name);
    for (const [i, { repeated }] of audits.entries()) {
      expect(replayRun(audits.slice(0, i)).step).toMatchObject({ do: 'audit', skipOptionalParts: repeated });
    }
    const { progress, step } = replayRun(audits);
    if (step.do !== 'finish') throw new Error(`The run does not finish: ${JSON.stringify(progress)}`);
    expectResult(page, step.result);
    const expected = attemptsOn(page);
    if (expected) expect(audits).toHaveLength(expected);
  });
});

test.each([
  ['browser', 3, 'protocol-timeout'],
  ['page', 2, 'page-hung'],
] as const)('a hang while the %s is frozen gets %i attempts, and then is %s', (part, attempts, code) => {
  const [hung] = readRecording('spin-forever') as [RecordedAudit];
  const frozen = {
    ...hung,
    events: [...hung.events.slice(0, -1), [50_000, { type: 'frozen', part }], ...hung.events.slice(-1)],
  };
  const audits = Array<RecordedAudit>(attempts).fill(frozen as RecordedAudit);
  for (let done = 1; done < attempts; done++) {
    const { progress, step } = replayRun(audits.slice(0, done));
    expect(progress.attempts.at(-1)?.code).toBe('protocol-timeout');
    expect(step.do).toBe('audit');
  }
  expect(replayRun([hung]).step).toMatchObject({ result: { error: { code: 'page-hung' } } });
  expect(replayRun(audits).step).toMatchObject({ do: 'finish', result: { error: { code } } });
});

const expectResult = (page: HostilePage, result: RunResult) => {
  const { finalUrl, warnings } = result;
  const error = result.state === 'failed' ? result.error : undefined;
  expect(page.verdicts, JSON.stringify(error)).toContain(error?.code ?? 'succeeded');
  expect(error?.blame ?? 'page').toBe('page');
  expect(finalUrl ?? '').not.toMatch(/^chrome-error:/);
  if (page.warning && (!error || !page.verdicts.includes('succeeded'))) {
    expect(warnings.join('\n')).toMatch(page.warning);
  }
};
