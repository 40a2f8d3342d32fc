import { describe, expect, test } from 'vitest';
import { isMoving, type Motion } from '../../functions/auditor/child/motion.ts';
import type { AuditEnd, MainFrame } from '../../functions/auditor/messages.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { audited, observed, runtimeError, url } from '../support/observation.ts';

const other = 'https://example.com/other';

describe('a page that navigates by itself', () => {
  const warningsOn = (frame: Partial<MainFrame>) => judge(observed(audited(), frame)).warnings;

  test('is named with its target if the service kept it on its document', () => {
    expect(warningsOn({ held: { url, to: other } })).toEqual([
      `The page navigated to ${other} while it was being audited. The service stopped this, so all results describe ${url}.`,
    ]);
    expect(warningsOn({ held: { url, to: `${url}#top` } })).toEqual([expect.stringContaining('reloaded itself while')]);
  });

  test('is named if it reloaded itself earlier, while Lighthouse names a redirect to another address', () => {
    expect(warningsOn({ left: [{ url, status: 200, to: url }] })).toEqual([
      'The page reloaded itself before it was measured.',
    ]);
    expect(warningsOn({ left: [{ url, status: 200, to: other }] })).toEqual([]);
  });

  test('is named with the error status of a document that it left', () => {
    expect(warningsOn({ left: [{ url, status: 404, to: other }] })).toEqual([
      `${url} answered with status 404. The page then went to ${other} by itself.`,
    ]);
  });

  test('has its move in the message of an error status', () => {
    const messageOn = (to: string) => {
      const end = runtimeError('ERRORED_DOCUMENT_REQUEST', 'Failed (Status code: 503)');
      const verdict = judge(observed(end, { left: [{ url, status: 503, to }] }));
      return verdict.state === 'failed' && verdict.error.message;
    };
    expect(messageOn(url)).toBe('The server answered with status 503. The page then reloaded itself.');
    expect(messageOn(other)).toBe(`The server answered with status 503. The page then went to ${other} by itself.`);
  });

  test('gets no scores if it escaped, because later audits saw another document', () => {
    expect(judge(observed(audited(), { escapedTo: other }))).toMatchObject({
      state: 'failed',
      error: { code: 'no-content', message: `The page went to ${other} while it was being audited.` },
    });
  });
});

describe('the wait for a page to stay', () => {
  const shown = { navigations: 1, loaded: true, painted: true };
  const still: Motion = { isRequested: false, changedAt: 10_000, refreshAt: undefined };
  const moving = (frame: Partial<MainFrame>, motion: Partial<Motion>, now = 10_000) =>
    isMoving({ ...observed(audited()).mainFrame, ...shown, ...frame }, { ...still, ...motion }, now);

  test('does not delay a page that stays, even if it is slow', () => {
    expect(moving({}, {})).toBe(false);
    expect(moving({ loaded: false, painted: false }, {})).toBe(false); // Lighthouse has waited for it already
  });

  test('lasts while another document is on its way, or a refresh is near', () => {
    expect(moving({}, { isRequested: true })).toBe(true);
    expect(moving({}, { refreshAt: 11_000 })).toBe(true);
    expect(moving({}, { refreshAt: 300_000 })).toBe(false);
    expect(moving({}, { refreshAt: 1000 })).toBe(false); // it came to nothing
  });

  test('lasts until the next document has loaded, has painted and is quiet', () => {
    const second = { navigations: 2 };
    expect(moving({ ...second, loaded: false }, {}, 14_000)).toBe(true);
    expect(moving({ ...second, painted: false }, {}, 14_000)).toBe(true);
    expect(moving({ ...second, painted: false }, {}, 16_000)).toBe(false);
    expect(moving(second, {}, 11_000)).toBe(true);
    expect(moving(second, {}, 12_000)).toBe(false);
  });
});

describe('a warning about the document', () => {
  const errored = Array.from({ length: 50 }, (_, i) => ({ id: `audit-${i}`, message: 'x' }));
  const incomplete = { withoutCharset: true, withoutMeaningfulPaint: true, screenshotMissing: true };

  test('is not given after a runtime error, because Lighthouse then makes no audit', () => {
    const summary = { erroredAudits: errored, warnings: ['Lighthouse says why.'], ...incomplete };
    const end = audited({ ...summary, runtimeError: { code: 'ERRORED_DOCUMENT_REQUEST', message: '' } });
    expect(judge(observed(end)).warnings).toEqual(['Lighthouse says why.']);
  });

  test('gives only a cause that was observed', () => {
    const warningOn = (frame: Partial<MainFrame>, end: AuditEnd = audited({ withoutCharset: true })) =>
      judge(observed(end, frame)).warnings.join();
    expect(warningOn({ large: true })).toMatch(/^The document is larger than 10 MB\. Its charset/);
    expect(warningOn({ everFinished: false })).toMatch(/^The document did not finish loading\. Its charset/);
    expect(warningOn({})).toMatch(/^The browser kept no copy of the document\. Its charset/);
  });
});
