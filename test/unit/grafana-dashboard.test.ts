import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { families } from '../../shared/open-metrics.ts';

const dashboard = JSON.parse(readFileSync('infra/grafana-dashboard.json', 'utf8'));
type Panel = { id: number; targets?: { expr: string }[] };
const panels: Panel[] = dashboard.panels;

/** Names of metrics in the expressions and the variables of the dashboard. */
const used = [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.map(({ definition = '' }) => definition),
].flatMap((text: string) => text.match(/\bpage_audit_\w+/g) ?? []);

test('the dashboard asks only for metrics that the service has', () => {
  const known = [...families].flatMap(([name, { type }]) =>
    type === 'summary' ? [`${name}_count`, `${name}_sum`] : [name],
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

test('the dashboard shows each metric but those of single regions that are late', () => {
  const isShown = (name: string) =>
    used.some((each) => each === name || each === `${name}_count` || each === `${name}_sum`);
  expect([...families.keys()].filter((name) => !isShown(name))).toEqual(['page_audit_service_regions_late']);
});

test('each panel has an id and a place of its own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = dashboard.panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(panels.length);
});
