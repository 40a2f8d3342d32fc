import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { CheckAssertions } from '../../../shared/assertions/sets.ts';
import { factsOf } from '../../../shared/explanation/facts.ts';
import { fixesOf } from '../../../shared/fixes/fixes.ts';
import { pick } from '../../../shared/pick.ts';
import { assertReport, type Measured } from '../runs/assert-report.ts';
import { wholeReport } from '../runs/whole-report.ts';
import { readReports, readRun } from '../uploads/read-upload.ts';

/** Lighthouse's audits with images. All supported versions have them, unless a check leaves out performance. */
export type PictureAudits = {
  'final-screenshot'?: { details?: { data: string } };
  'screenshot-thumbnails'?: { details?: { items: { timing: number; data: string }[] } };
};

/** Tasks of a thread on the bytes of a report or of an upload. Each input and result is plain data. */
export const tasks = {
  readReports,
  readRun,
  fixes: async (zipped: Buffer, options: Parameters<typeof fixesOf>[1]) => fixesOf(await parsed(zipped), options),
  judge: (zipped: Buffer, assertions: CheckAssertions, measured: Measured) =>
    assertReport(assertions, zipped, measured),
  wholeReport: (sample: Buffer, first: Buffer) => wholeReport({ gzip: sample, bytes: 0 }, { gzip: first, bytes: 0 }),
  facts: async (zipped: Buffer) => factsOf(await parsed(zipped)),
  pictures: async (zipped: Buffer) =>
    pick((await parsed(zipped)).audits as PictureAudits, ['final-screenshot', 'screenshot-thumbnails']),
  /** Returns the JSON as a part of a script that ends no element and no line of its page, as the viewer's generator does. */
  scriptJson: async (zipped: Buffer) =>
    Buffer.from(
      (await gunzip(zipped))
        .toString()
        .replaceAll('<', '\\u003c')
        .replaceAll('\u2028', '\\u2028')
        .replaceAll('\u2029', '\\u2029'),
    ),
};
export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;

const gunzip = promisify<Buffer, Buffer>(zlib.gunzip);
const parsed = async (zipped: Buffer) => JSON.parse((await gunzip(zipped)).toString());
