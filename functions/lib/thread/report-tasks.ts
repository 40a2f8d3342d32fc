import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { factsOf } from '../../../shared/explanation/facts.ts';
import { fixesOf } from '../../../shared/fixes/fixes.ts';
import { pick } from '../../../shared/pick.ts';

/** Lighthouse's audits with images. All supported versions have them, unless a check leaves out performance. */
export type PictureAudits = {
  'final-screenshot'?: { details?: { data: string } };
  'screenshot-thumbnails'?: { details?: { items: { timing: number; data: string }[] } };
};

const gunzip = promisify<Buffer, Buffer>(zlib.gunzip);
const gzip = promisify<Buffer, Buffer>(zlib.gzip);

/** Returns the value of a gzipped report. */
export const parsed = async (zipped: Buffer) => JSON.parse((await gunzip(zipped)).toString());

export const fixesIn = async (zipped: Buffer, options: Parameters<typeof fixesOf>[1]) =>
  fixesOf(await parsed(zipped), options);

export const factsIn = async (zipped: Buffer) => factsOf(await parsed(zipped));

export const picturesIn = async (zipped: Buffer) =>
  pick((await parsed(zipped)).audits as PictureAudits, ['final-screenshot', 'screenshot-thumbnails']);

/** Returns a page with the JSON between two parts of it, in a script. The JSON ends no element and no line of the page. */
export const pageWith = async (zipped: Buffer, [before, after]: readonly [string, string], gzipped: boolean) => {
  const json = (await gunzip(zipped))
    .toString()
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  const page = Buffer.from(`${before}${json}${after}`);
  return gzipped ? gzip(page) : page;
};
