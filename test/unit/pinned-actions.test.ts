import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const workflows = readdirSync(new URL('.github/workflows/', root)).map((name) => `.github/workflows/${name}`);

test.each([...workflows, 'clients/action/action.yml'])('%s names each action by its commit', (path) => {
  const text = readFileSync(new URL(path, root), 'utf8');
  const used = [...text.matchAll(/^\s*(?:- )?uses:\s*(.*)$/gm)].map(([, action]) => action);
  expect(used.length > 0).toBe(path !== 'clients/action/action.yml'); // the action itself uses no other action
  for (const action of used) expect(action).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
