import { EventEmitter } from 'node:events';
import type { CDPSession } from 'puppeteer-core';
import { expect, test, vi } from 'vitest';
import { ATTACHMENT, watchMainFrame } from '../../functions/auditor/child/main-frame.ts';

test.each([
  ['attachment', true],
  ['Attachment; filename="page.html"', true],
  [' attachment ;filename=a', true],
  ['download', true], // RFC 6266: an unknown type counts as attachment
  ['x-own-type; filename="page.html"', true],
  ['inline', false],
  ['INLINE ; filename="page.html"', false],
  ['filename="page.html"', false], // browsers ignore a header without a type
  ['', false],
])('the Content-Disposition header %j makes a download: %s', (header, isDownload) => {
  expect(ATTACHMENT.test(header)).toBe(isDownload);
});

/** A session of the browser that records the commands. It refuses to answer a dialog that Lighthouse has answered. */
const aSession = () => {
  const send = vi.fn(async (method: string) => {
    if (method === 'Page.handleJavaScriptDialog') throw new Error('No dialog is showing');
    return { frameTree: { frame: { id: 'main' } } };
  });
  return Object.assign(new EventEmitter(), { send });
};

test('each dialog is accepted, also one that opens after Lighthouse has ended its session', async () => {
  const session = aSession();
  const { record } = await watchMainFrame(session as unknown as CDPSession, () => {});
  for (let opened = 0; opened < 2; opened++) session.emit('Page.javascriptDialogOpening', { type: 'confirm' });
  const answers = session.send.mock.calls.filter(([method]) => method === 'Page.handleJavaScriptDialog');
  expect(answers.map(([, answer]: unknown[]) => answer)).toMatchObject([{ accept: true }, { accept: true }]);
  expect(record.tooMuch).toBeNull();
});
