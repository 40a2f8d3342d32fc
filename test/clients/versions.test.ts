import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runHere } from '../support/command-context.ts';
import { readReport } from '../support/recorded-reports.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { page, startVariants } from '../support/variants-service.ts';

const folder = temporaryFolder('versions');

describe('versions', () => {
  test('audits by two versions in turns, and says by audit what changed. A regression is no failure', async () => {
    const old = JSON.parse(gunzipSync(readReport('12.8.2')).toString());
    const now = JSON.parse(gunzipSync(readReport('13.5.0')).toString());
    await using service = await startVariants({ of: ({ search }: URL) => (search === '?variant=against' ? old : now) });
    const { code, stdout } = await runHere(['versions', page, '--from', '12.8.2', '--to', '13.5.0'], service.url);
    expect(service.bodies[0]).toMatchObject({
      auditVersion: '13.5.0',
      samples: 5,
      against: { auditVersion: '12.8.2' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Accessibility 21 → 19\n {2}- “Document does not .*” counts now, with the weight 3: −3 points$/m,
    );
  });

  test('many pages have one row each, and a cause that they share is named once', async () => {
    const old = JSON.parse(gunzipSync(readReport('12.8.2')).toString());
    const now = JSON.parse(gunzipSync(readReport('13.5.0')).toString());
    await using service = await startVariants({ of: ({ search }: URL) => (search === '?variant=against' ? old : now) });
    const file = join(folder, 'pages.txt');
    writeFileSync(file, `${page}\n${page}cart\n`);
    const given = ['versions', '--from', '12.8.2', '--to', '13.5.0', '--urls-file', file];
    const { code, stdout } = await runHere(given, service.url);
    expect([code, service.bodies.map(({ url }) => url)]).toEqual([0, [page, `${page}cart`]]);
    expect(stdout).toMatch(/shop\.example\/cart/);
    expect(stdout).toMatch(
      /^ {2}- Accessibility: “Document does not .*” counts now, with the weight 3, on 2 runs of 2: −3 points$/m,
    );
    const json = JSON.parse((await runHere([...given, '--format', 'json'], service.url)).stdout);
    expect(json.checks.map(({ versionChanges }: { versionChanges: object }) => Object.keys(versionChanges))).toEqual([
      ['us-west1'],
      ['us-west1'],
    ]);
    expect((await runHere(['versions', '--urls-file', file], service.url)).code).toBe(2);
  });
});

test('where all regions are one machine, its experiments name no region', async () => {
  const places = ['this machine', 'this machine'];
  await using machine = await startVariants({ places });
  const { stdout } = await runHere(['third-parties', page], machine.url);
  expect(stdout).toContain('all of these');
  expect(stdout).not.toContain('us-west1');
  const now = JSON.parse(gunzipSync(readReport('13.5.0')).toString());
  for (const [all, heading] of [
    [places, /^Why, by audit$/m],
    [['Oregon'], /^Why, by audit, us-west1$/m],
  ] as const) {
    await using service = await startVariants({ of: () => now, places: [...all] });
    const compared = await runHere(['versions', page, '--from', '12.8.2', '--to', '13.5.0'], service.url);
    expect(compared.stdout).toMatch(heading);
  }
});
