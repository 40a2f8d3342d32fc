import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { reportOfCases } from '../support/assertion-cases.ts';
import { rowOf } from '../support/lhci-rows.ts';
import { type Outcome, shapes, writeShape, writeShapeOutcomes } from '../support/lighthouserc-shapes.ts';

test('records how Lighthouse CI judges one report by files of different shapes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhci-'));
  try {
    execFileSync('npm', ['init', '-y'], { cwd: folder });
    execFileSync('npm', ['install', '--ignore-scripts', '@lhci/cli@0.15.1'], { cwd: folder });
    const outcomes: Record<string, Outcome> = {};
    for (const [name, files] of Object.entries(shapes)) {
      const own = mkdtempSync(join(folder, 'shape-'));
      const config = basename(writeShape(own, files));
      mkdirSync(join(own, '.lighthouseci'));
      writeFileSync(join(own, '.lighthouseci/lhr-1.json'), JSON.stringify(reportOfCases('13.5.0')));
      const lhci = join(folder, 'node_modules/@lhci/cli/src/cli.js');
      const { status } = spawnSync(process.execPath, [lhci, 'assert', `--config=${config}`], { cwd: own });
      const results = join(own, '.lighthouseci/assertion-results.json');
      expect(existsSync(results), name).toBe(true);
      outcomes[name] = { exitCode: status ?? -1, failed: JSON.parse(readFileSync(results, 'utf8')).map(rowOf) };
    }
    writeShapeOutcomes(outcomes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
