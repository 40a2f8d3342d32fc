import { simulationFrom } from '../../words/simulations.ts';
import { withScheme } from '../../words/urls.ts';
import { BATCH } from './form-values.ts';
import { MAX_URLS, optionFields, variantFields } from './option-fields.ts';
import { secretFaultsOf, secretInputs } from './secret-inputs.ts';
import { throttlingFields } from './throttling.ts';

type Fault = { path: string; message: string };

/** Returns the faults of a form that the page knows by itself. Inputs would hide a repeated name, and a line without a colon. */
export const faultsOf = (form: FormData): Fault[] => [
  ...(String(form.get('url') ?? '').trim() === ''
    ? [{ path: 'url', message: 'Enter the URL of a page, such as https://example.com/.' }]
    : []),
  ...(urlsOf(form).length > MAX_URLS
    ? [{ path: 'url', message: `These are ${urlsOf(form).length} URLs. Audit at most ${MAX_URLS} at once.` }]
    : []),
  ...(form.has('device') ? [] : [{ path: 'device', message: 'Choose mobile, desktop or both.' }]),
  ...(form.has('regions') ? [] : [{ path: 'regions', message: 'Choose at least one region.' }]),
  ...faultsOfLabels(form),
  ...secretFaultsOf(form),
];

const faultsOfLabels = (form: FormData): Fault[] => {
  const path = 'labels';
  const lines = String(form.get(path) ?? '').split('\n');
  const single = lines.findIndex((line) => line.trim() !== '' && !/\S\s*:/.test(line));
  if (single !== -1)
    return [{ path, message: `Line ${single + 1} must have a name, a colon and a value, such as branch: main.` }];
  const names = lines.map((line) => line.split(':')[0]?.trim().toLowerCase() ?? '');
  const repeated = names.findIndex((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated === -1) return [];
  return [{ path, message: `Line ${repeated + 1} repeats the name ${names[repeated]}. Give each name once.` }];
};

/**
 * Returns the inputs of the checks that a form describes: one for each URL and device. Several checks get a label `batch`, if
 * there is one, so that a list can show them together.
 */
export const checksOf = (form: FormData, batch?: string) => {
  const urls = urlsOf(form);
  const checks = (urls.length > 0 ? urls : ['']).flatMap((url) =>
    form.getAll('device').map((device) => inputsOf(withValues(form, { url, device: String(device) }))),
  );
  if (checks.length < 2 || batch === undefined) return checks;
  return checks.map((check) => ({ ...check, labels: { ...check.labels, [BATCH]: batch } }));
};

const urlsOf = (form: FormData): string[] => [
  ...new Set(String(form.get('url')).split(/\s+/).filter(Boolean).map(withScheme)),
];

const withValues = (form: FormData, values: Record<string, string>): FormData => {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value);
  for (const [name, value] of Object.entries(values)) copy.set(name, value);
  return copy;
};

/** Returns the inputs of the check that a form with one URL and one device describes. */
const inputsOf = (form: FormData) => {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lines = (name: string) =>
    text(name)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  const linesOf = (fields: typeof optionFields, prefix = '') =>
    Object.fromEntries(
      fields
        .map(({ name, kind }) => {
          if (kind === 'json') return [name, jsonOf(text(prefix + name))] as const;
          const found = lines(prefix + name);
          return [name, kind === 'simulations' ? found.map(simulationFrom) : found] as const;
        })
        .filter(([, value]) => !Array.isArray(value) || value.length > 0),
    );
  const against = againstOf(text, linesOf);
  const labels = lines('labels').map(pairOf);
  const categories = form.getAll('categories').map(String);
  return {
    url: text('url'),
    auditVersion: text('auditVersion') || 'latest',
    regions: form.getAll('regions').map(String),
    device: text('device'),
    samples: text('samples') === 'auto' ? 'auto' : Number(text('samples')),
    ...(text('throttling') && { throttling: throttlingOf(text) }),
    ...linesOf(optionFields),
    ...secretInputs(form),
    ...(categories.length > 0 && { categories }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(Object.keys(against).length > 0 && { against }),
  };
};

/** Returns the value of a JSON text, or the text itself, so that the service says what it accepts. */
const jsonOf = (text: string): unknown => {
  if (text === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

type Text = (name: string) => string;

/** Returns the second variant: the fields that change something. */
const againstOf = (text: Text, linesOf: (fields: typeof optionFields, prefix: string) => object) => ({
  ...Object.fromEntries(
    [
      ['url', text('against.url') && withScheme(text('against.url'))],
      ...['device', 'auditVersion'].map((name) => [name, text(`against.${name}`)]),
    ].filter(([, value]) => value),
  ),
  ...(text('against.throttling') && { throttling: throttlingOf(text, 'against.') }),
  ...(text('against.nothingBlocked') && { blockedUrlPatterns: [] }),
  ...linesOf(variantFields, 'against.'),
});

const pairOf = (line: string) => {
  const [, name = '', value = ''] = /^([^:]*):?(.*)$/.exec(line) ?? [];
  return [name.trim(), value.trim()];
};

const throttlingOf = (text: Text, prefix = '') => {
  const kind = text(`${prefix}throttling`);
  if (kind !== 'custom') return kind;
  return Object.fromEntries(throttlingFields.map(({ name }) => [name, Number(text(`${prefix}throttling.${name}`))]));
};
