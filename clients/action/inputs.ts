import { createHash } from 'node:crypto';

/** Names of the inputs, as action.yml declares them. */
export type InputName = keyof typeof flags | (typeof otherInputs)[number];
export type Inputs = Readonly<Record<InputName, string>>;
export type Labels = Readonly<Record<string, string>>;

/** Default samples of a check that has a base. Fewer are too few to find a small change of a time. */
const SAMPLES_WITH_BASE = '5';
/** Most characters of a label's value. */
const MAX_LABEL_LENGTH = 128;

const one = (flag: string) => (text: string) => [`${flag}=${text}`];
const perLine = (flag: string) => (text: string) => linesOf(text).map((line) => `${flag}=${line}`);

/** Inputs that are options of `page-audit run`. */
const flags = {
  regions: one('--region'),
  device: one('--device'),
  'audit-version': one('--audit-version'),
  categories: one('--category'),
  samples: one('--samples'),
  throttling: (text: string) => text.split(/[\s,]+/).map(throttlingFlag),
  'blocked-url-patterns': perLine('--blocked-url-patterns'),
  simulate: one('--simulate'),
  timeout: one('--timeout'),
  assertions: one('--assert'),
  budget: one('--budget'),
  base: one('--base'),
  pool: one('--pool'),
  intended: one('--intended'),
  against: one('--against'),
  'allow-empty': (text: string) => (text === 'true' ? ['--allow-empty'] : []),
} satisfies Record<string, (text: string) => string[]>;

const otherInputs = ['urls', 'server-url', 'api-key', 'labels', 'comment', 'comment-id'] as const;

export const inputNames = [...(Object.keys(flags) as (keyof typeof flags)[]), ...otherInputs];

const throttlingFlag = (text: string): string => (text === 'none' ? '--throttling=none' : `--throttling.${text}`);

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the inputs from the JSON of GitHub's context `inputs`. A missing input is empty. */
export const readInputs = (json: string): Inputs => {
  const given = JSON.parse(json) as Partial<Record<string, string>>;
  return Object.fromEntries(inputNames.map((name) => [name, (given[name] ?? '').trim()])) as Inputs;
};

/** Returns the arguments of `page-audit run` except the output files. A label of the user replaces one of the action. */
export const argumentsOf = (inputs: Inputs, ownLabels: Labels): string[] => {
  const given = { ...inputs, samples: inputs.samples || (inputs.base && SAMPLES_WITH_BASE) };
  const options = Object.entries(flags).flatMap(([name, toFlags]) => {
    const text = given[name as keyof typeof flags];
    return text === '' ? [] : toFlags(text);
  });
  const userLabels = linesOf(inputs.labels);
  const own = Object.entries(ownLabels)
    .filter(([name]) => !userLabels.some((line) => line.startsWith(`${name}=`) || line.startsWith(`${name}:`)))
    .map(([name, value]) => `${name}=${value.slice(0, MAX_LABEL_LENGTH)}`);
  const labels = [...own, ...userLabels].map((label) => `--label=${label}`);
  return [...options, ...labels, '--', ...inputs.urls.split(/\s+/).filter(Boolean)];
};

/**
 * Returns the text by which the action finds its comment. Each job, and each set of URLs, devices and regions, has its own
 * comment, unless the input names it. The address of a preview changes with each deployment, and does not count.
 */
export const markerOf = (
  inputs: Inputs,
  { workflow, job }: { workflow: string; job: string },
  previewUrl?: string,
): string => {
  const origin = previewUrl && URL.canParse(previewUrl) ? new URL(previewUrl).origin : undefined;
  const urls = origin ? inputs.urls.replaceAll(origin, '') : inputs.urls;
  const leg = JSON.stringify([urls.split(/\s+/), inputs.device, inputs.regions]);
  const hash = createHash('sha256').update(leg).digest('hex').slice(0, 12);
  const name = inputs['comment-id'] || [workflow, job, hash].join(' ');
  return `<!-- page-audit: ${name.replace(/[^\w ]+/g, '-')} -->`;
};
