import { z } from 'zod';
import { UsageError } from './exit-codes.ts';
import { readPart } from './lighthouserc-parts.ts';
import type { RunOptions } from './options.ts';

const texts = z
  .union([z.string(), z.array(z.string())], { error: 'Expected a text or a list of texts.' })
  .transform((value) => [value].flat())
  .optional();
const names = z
  .union([z.string(), z.array(z.string())], { error: 'Expected a list of names.' })
  .transform((value) => (typeof value === 'string' ? value.split(',') : value))
  .optional();
const formFactor = z.enum(['mobile', 'desktop', 'none'], { error: 'Expected mobile or desktop.' }).optional();
const isHeaders = z.record(z.string(), z.string(), { error: 'Expected an object of names and texts.' });

/** Settings of Lighthouse that checks have too. */
const Settings = z.looseObject({
  preset: z.string().optional(),
  formFactor,
  emulatedFormFactor: formFactor,
  onlyCategories: names,
  throttlingMethod: z.string().optional(),
  throttling: z
    .looseObject({
      rttMs: z.number().optional(),
      throughputKbps: z.number().optional(),
      cpuSlowdownMultiplier: z.number().optional(),
    })
    .optional(),
  extraHeaders: z
    .union([isHeaders, z.string()])
    .transform((value, context) => {
      if (typeof value !== 'string') return value;
      const { data } = isHeaders.safeParse(parsedJson(value));
      if (!data) context.addIssue('Expected an object of names and texts, or the same as JSON.');
      return data ?? {};
    })
    .optional(),
  blockedUrlPatterns: texts,
});

const Collect = z.looseObject({
  url: texts,
  numberOfRuns: z.number({ error: 'Expected a number.' }).int().min(1).optional(),
  settings: Settings.optional(),
});
type Collect = z.infer<typeof Collect>;

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Collected = { urls: string[]; options: Partial<RunOptions>; notes: string[] };

/** Returns the URLs and the inputs of checks that a file of Lighthouse CI sets, and a note for each part without effect. */
const readCollect = (name: string): Collected => {
  const collect = readPart(name, 'collect', Collect as z.ZodType<Collect>) ?? {};
  const { url = [], numberOfRuns, settings = {} } = collect;
  const { preset, formFactor: form = settings.emulatedFormFactor ?? preset, throttlingMethod, throttling } = settings;
  const categories = settings.onlyCategories ?? (preset === 'perf' ? ['performance'] : undefined);
  const headers = Object.entries(settings.extraHeaders ?? {}).map(([key, value]) => `${key}: ${value}`);
  const isUnthrottled = throttlingMethod === 'provided';
  return {
    urls: url,
    options: {
      ...(numberOfRuns !== undefined && { samples: numberOfRuns }),
      ...((form === 'mobile' || form === 'desktop') && { device: [form] }),
      ...(categories && { category: categories }),
      ...(isUnthrottled ? { throttling: 'none' } : throttlingOptions(throttling)),
      ...(headers.length > 0 && { header: headers }),
      ...(settings.blockedUrlPatterns && { blockedUrlPatterns: settings.blockedUrlPatterns }),
    },
    notes: [
      ...unusedIn(collect, 'ci.collect', Collect),
      ...unusedIn(settings, 'ci.collect.settings', Settings),
      ...(readPart(name, 'upload', z.looseObject({})) ? [UPLOAD] : []),
    ],
  };
};

const throttlingOptions = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries({ rttMs, throughputKbps, cpuSlowdownMultiplier }).flatMap(([key, value]) =>
      value === undefined ? [] : [[`throttling.${key}`, value]],
    ),
  );

/** Advice for the parts of a file that no check has. */
const advice: Readonly<Record<string, string>> = {
  startServerCommand: ' Start the server before the command.',
  staticDistDir: ' Serve the folder before the command, and name the URLs of its pages.',
  puppeteerScript: ' Log in with a script of your own, and use --storage-state.',
  chromeFlags: ' The service starts Chromium with its own flags.',
  onlyAudits: ' Use onlyCategories.',
  skipAudits: ' Set the assertion of an audit to off.',
  budgets: ' Write them to a file, and use --budget.',
};

const UPLOAD = 'ci.upload has no effect. The service keeps the reports. Use --output to write files.';

const unusedIn = (part: object, place: string, { shape }: { shape: object }): string[] =>
  Object.keys(part)
    .filter((key) => !Object.hasOwn(shape, key))
    .map((key) => `${place}.${key} has no effect.${advice[key] ?? ''}`);

/** Returns the URLs and options of a command with those of its lighthouserc file. Options of the command win. */
export const withCollected = (
  urls: readonly string[],
  options: RunOptions,
): { urls: readonly string[]; options: RunOptions; notes: string[] } => {
  const collected = options.assert === undefined ? undefined : readCollect(options.assert);
  const all = urls.length > 0 ? urls : (collected?.urls ?? []);
  if (all.length === 0) {
    throw new UsageError('No page is named. Name a URL, or use --assert with a file that has ci.collect.url.');
  }
  if (!collected) return { urls: all, options, notes: [] };
  const isThrottling = (key: string) => key.startsWith('throttling');
  const hasThrottling = Object.keys(options).some(isThrottling);
  const kept = Object.entries(collected.options).filter(([key]) => !(hasThrottling && isThrottling(key)));
  return { urls: all, options: { ...Object.fromEntries(kept), ...options }, notes: collected.notes };
};
