import { expect, test } from 'vitest';
import { ATTACHMENT } from '../../functions/auditor/child/main-frame.ts';

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
