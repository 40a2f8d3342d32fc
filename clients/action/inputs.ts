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
  'urls-file': one('--urls-file'),
  sitemap: one('--sitemap'),
  'sitemap-host': one('--sitemap-host'),
  limit: one('--limit'),
  regions: one('--region'),
  device: one('--device'),
  'audit-version': one('--audit-version'),
  categories: one('--category'),
  samples: one('--samples'),
  throttling: (text: string) => text.split(/[\s,]+/).map(throttlingFlag),
  'blocked-url-patterns': perLine('--blocked-url-patterns'),
  simulate: one('--simulate'),
  timeout: one('--timeout'),
  output: perLine('--output'),
  assertions: one('--assert'),
  budget: one('--budget'),
  base: one('--base'),
  'base-url': one('--base-url'),
  pool: one('--pool'),
  intended: one('--intended'),
  against: one('--against'),
  confirm: (text: string) => (text === 'false' ? ['--no-confirm'] : []),
  'allow-empty': (text: string) => (text === 'true' ? ['--allow-empty'] : []),
} satisfies Record<string, (text: string) => string[]>;

const otherInputs = ['urls', 'server-url', 'api-key', 'labels', 'comment', 'comment-id'] as const;

export const inputNames = [...(Object.keys(flags) as (keyof typeof flags)[]), ...otherInputs];

const throttlingFlag = (text: string): string => (text === 'none' ? '--throttling=none' : `--throttling.${text}`);

export const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the inputs from the JSON of GitHub's context `inputs`. A missing input is empty. */
export const readInputs = (json: string): Inputs => {
  const given = JSON.parse(json) as Partial<Record<string, string>>;
  return Object.fromEntries(inputNames.map((name) => [name, (given[name] ?? '').trim()])) as Inputs;
};

/** Returns the name of the input that asks for an earlier check, or undefined. */
export const baseInputOf = (inputs: Inputs): 'base' | 'base-url' | undefined =>
  (['base', 'base-url'] as const).find((name) => inputs[name] !== '');

/** Returns the arguments of `page-audit run` except the output files of the action. A label of the user replaces one of the action. */
export const argumentsOf = (inputs: Inputs, ownLabels: Labels): string[] => {
  const given = { ...inputs, samples: inputs.samples || (baseInputOf(inputs) ? SAMPLES_WITH_BASE : '') };
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

/** Most characters of the name of a comment. GitHub limits the comment with it. */
const MAX_NAME_LENGTH = 200;

/**
 * Returns the text by which the action finds its comment. Each job, and each set of pages, devices and regions, has its own
 * comment, unless the input names it. The address of a preview changes with each deployment, and does not count.
 */
export const markerOf = (
  inputs: Inputs,
  { workflow, job }: { workflow: string; job: string },
  previewUrl?: string,
): string => {
  const origin = previewUrl && URL.canParse(previewUrl) ? new URL(previewUrl).origin : undefined;
  const { urls, sitemap, 'urls-file': file, device, regions } = inputs;
  const pages = [urls, file, sitemap].map((text) => (origin ? text.replaceAll(origin, '') : text).split(/\s+/));
  const leg = JSON.stringify([pages, device, regions]);
  const hash = createHash('sha256').update(leg).digest('hex').slice(0, 12);
  const name = inputs['comment-id'] || [workflow, job, hash].join(' ');
  return `<!-- page-audit: ${name.replace(/[^\w ]+/g, '-').slice(0, MAX_NAME_LENGTH)} -->`;
};
