import type { ChildProcess } from 'node:child_process';

/** Collects what a child writes to both streams. Returns a function that gives the text so far. */
export const outputOf = ({ stdout, stderr }: ChildProcess): (() => string) => {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return () => output;
};
