import { expect, test } from 'vitest';
import { type ListName, type ParameterName, parametersOf } from '../../shared/list-parameters.ts';
import { ListParameters, matcherOf } from '../../shared/list-parameters-schemas.ts';

const entry = {
  url: 'https://example.com/a',
  region: 'us-west1',
  device: 'mobile',
  auditVersion: '13.5.0',
  labels: { branch: 'main' },
  state: 'succeeded',
  assertionsPassed: true,
  changed: 'worse',
} as const;

/** For each parameter a value that keeps the entry and one that drops it. Null if it filters nothing by itself. */
const values: Record<ParameterName, [keeps: unknown, drops: unknown] | null> = {
  limit: null,
  cursor: null,
  url: ['https://EXAMPLE.com/a', 'https://example.com/b'],
  region: ['us-west1', 'us-east4'],
  device: ['mobile', 'desktop'],
  auditVersion: ['13', '12'],
  state: ['succeeded', 'failed'],
  assertionsPassed: ['true', 'false'],
  label: [['branch:main'], ['branch:main', 'branch:other']],
  createdAfter: null, // the sort key of a query
  createdBefore: null,
  every: null,
  since: null,
  q: ['EXAMPLE', 'other'],
  changed: ['worse', 'better'],
  sort: null,
};

test.each(['checks', 'runs', 'pages'] as const)(
  'each filter of the list of %s judges its entries',
  (list: ListName) => {
    const keeps = (name: ParameterName, value: unknown) => {
      const { byEntry, byResult } = matcherOf(ListParameters[list].parse({ [name]: value }));
      return byEntry.matches(entry) && byResult.matches(entry);
    };
    const filters = parametersOf(list).flatMap((name) => {
      const pair = values[name];
      return pair ? [{ name, pair }] : [];
    });
    expect(filters.length).toBeGreaterThan(3);
    for (const { name, pair } of filters)
      expect(
        pair.map((value) => keeps(name, value)),
        name,
      ).toEqual([true, false]);
  },
);
