import { spawnSync } from 'node:child_process';
import { unlessMissing } from './skips.ts';

/** A Node.js from 20 to 23 on this machine, or undefined. */
export const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const [, major] = /^v(\d+)/.exec(`${spawnSync(path, ['--version']).stdout}`) ?? [];
  return Number(major) >= 20 && Number(major) < 24;
});

export const needsOlderNode = unlessMissing(olderNode ? undefined : 'Node.js 20 to 23 in /usr/bin or /usr/local/bin');
