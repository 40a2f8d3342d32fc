import { readSync, writeSync } from 'node:fs';

/*
 * SQLite zeroes a deleted row where it lies. When it rebuilds a page of a tree, copies of moved rows stay in the gap between
 * the pointers and the content. It never reads a gap, so zeros there change nothing. See
 * https://www.sqlite.org/fileformat2.html for the numbers below.
 */

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const FRAMES_AT_ONCE = 64;
const TREE_PAGES = [2, 5, 10, 13];
const INTERIOR = 5; // the greatest type of a page that has children
const ZEROS = Buffer.alloc(65536); // as long as the greatest page

/** Returns the size of the pages in a log, and their numbers. */
export const pagesIn = (log: number): { size: number; numbers: Set<number> } => {
  const numbers = new Set<number>();
  const header = Buffer.alloc(LOG_HEADER);
  readSync(log, header, 0, LOG_HEADER, 0);
  const size = header.readUInt32BE(8);
  const frame = FRAME_HEADER + size;
  const frames = Buffer.alloc(FRAMES_AT_ONCE * frame);
  for (let at = LOG_HEADER; size > 0; at += frames.length) {
    const read = readSync(log, frames, 0, frames.length, at);
    for (let i = 0; i + FRAME_HEADER <= read; i += frame) numbers.add(frames.readUInt32BE(i));
    if (read < frames.length) break;
  }
  return { size, numbers };
};

/** Zeroes the gap of a page of a database file. Nobody may write the file meanwhile. Returns true if the gap had something. */
export const zeroGap = (file: number, number: number, size: number): boolean => {
  const isMap = size > 0 && (number - 2) % (Math.floor(size / 5) + 1) === 0; // says where pages belong
  const page = Buffer.alloc(size);
  const at = (number - 1) * size;
  if (isMap || number === 0 || readSync(file, page, 0, size, at) < size) return false;
  const header = number === 1 ? 100 : 0;
  const type = page[header] as number;
  const start = header + (type <= INTERIOR ? 12 : 8) + 2 * page.readUInt16BE(header + 3);
  const end = page.readUInt16BE(header + 5) || 65536;
  if (!TREE_PAGES.includes(type) || start >= end || end > size) return false;
  const zeros = ZEROS.subarray(start, end);
  if (page.subarray(start, end).equals(zeros)) return false;
  writeSync(file, zeros, 0, zeros.length, at + start);
  return true;
};
