import { auditVersions, resolveAuditVersion } from '../../../shared/audit-versions.ts';
import { type Category, categories, categoriesIn, devices } from '../../../shared/options/audit-options.ts';
import { ignoredParameters, pageSpeedLabels, pageSpeedParameters } from '../../../shared/page-speed.ts';
import type { InputError } from '../../../shared/problems.ts';
import { invalidInput } from '../http/input.ts';

/** Parameters that a client may repeat. */
const repeatable: readonly string[] = ['category', ...ignoredParameters];

/**
 * Returns the body of the check for a query of PageSpeed's API. Google's names of values are accepted in any case, such as
 * `BEST_PRACTICES`. The create judges the values that it knows too.
 */
export const checkOf = (rawQuery: string, regions: readonly string[]): object => {
  const query = new URLSearchParams(rawQuery);
  const version = query.get('version') || 'latest';
  const strategy = nameOf(query.get('strategy') ?? '') || 'strategy-unspecified';
  const device = strategy === 'strategy-unspecified' ? 'desktop' : devices.find((name) => name === strategy);
  const requested = [...new Set(query.getAll('category').map(nameOf))].filter(
    (name) => name !== '' && name !== 'category-unspecified',
  );
  const samples = query.get('samples') ?? undefined;
  const errors = [
    ...repeatedParameters(query),
    ...(query.get('url')
      ? []
      : [{ path: 'url', message: 'Send the address of a page, such as https://example.com/.' }]),
    ...(device ? [] : [{ path: 'strategy', message: `The strategy must be one of: ${devices.join(', ')}.` }]),
    ...unknownCategories(requested),
    ...(/^(\w{1,8}([-_]\w{1,8})*)?$/.test(query.get('locale') ?? '') ? [] : [unknownLocale]),
    ...((query.get('alt') || 'json') === 'json' ? [] : [{ path: 'alt', message: 'The only format is json.' }]),
  ];
  if (errors.length > 0) throw invalidInput(errors);
  return {
    url: query.get('url'),
    auditVersion: version,
    regions: [query.get('region') || regions[0]],
    device,
    categories: measurable(requested as Category[], version),
    ...(samples !== undefined && { samples: /^\d{1,3}$/.test(samples) ? Number(samples) : samples }),
    labels: pageSpeedLabels,
  };
};

const nameOf = (value: string): string => value.toLowerCase().replaceAll('_', '-');

const repeatedParameters = (query: URLSearchParams): InputError[] =>
  pageSpeedParameters
    .filter((name) => !repeatable.includes(name) && query.getAll(name).length > 1)
    .map((path) => ({ path, message: 'Send this parameter once.' }));

const unknownCategories = (requested: readonly string[]): InputError[] =>
  requested.some((name) => !categories.includes(name as Category))
    ? [{ path: 'category', message: `Repeat the category for each of these: ${categories.join(', ')}.` }]
    : [];

const unknownLocale = { path: 'locale', message: 'The locale must be a language, such as en or en_US.' };

/** Returns the categories without PWA if the version lacks it. Google also accepts `pwa` and returns no such category. */
const measurable = (requested: readonly Category[], version: string): Category[] => {
  const known = categoriesIn(resolveAuditVersion(version) ?? auditVersions[0].version);
  const found = requested.filter((name) => name !== 'pwa' || known.includes(name));
  if (found.length > 0) return found;
  if (requested.length === 0) return ['performance'];
  const message = `This audit version has no category pwa. Send one of: ${known.join(', ')}, or the version 11.`;
  throw invalidInput([{ path: 'category', message }]);
};
