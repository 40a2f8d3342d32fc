import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freeIds } from '../../functions/auditor/host/free-ids.ts';

const root = mkdtempSync(join(tmpdir(), 'free-ids-'));
afterAll(() => rmSync(root, { recursive: true }));
const write = (folder: string, name: string, text: string) => {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, name), text);
};

test('the id of an auditor is new, and of no account, group, process or range of subordinate ids', () => {
  write('etc', 'passwd', 'root:x:0:0::/root:/bin/sh\nodd:x:61184:61184::/:/bin/sh\n');
  write('etc', 'group', 'root:x:0:\nodd:x:61185:\n');
  write('etc', 'subuid', 'user:61186:2000\n');
  write('etc', 'subgid', 'user:63186:2000\n');
  write(
    'proc/12',
    'status',
    'Name:\tsleep\nUid:\t65186\t65187\t65188\t65189\nGid:\t65190\t65190\t65190\t65190\nGroups:\t65191 65192 \n',
  );
  const next = freeIds(root);
  const free = 65_519 - 65_192;
  const ids = Array.from({ length: free }, next);
  expect(ids.toSorted()).toEqual(Array.from({ length: free }, (_, i) => 65_193 + i));

  write('etc', 'subuid', 'user:61184:100000\n');
  expect(next).toThrow('Each user id from 61184 to 65519 is in use.');
});
