import { z } from 'zod';
import { MAX_SAMPLES } from '../../../shared/options/audit-options.ts';
import { presets } from '../../../shared/options/throttling.ts';
import type { RunOptions } from '../flags/options.ts';
import { readTextFile } from '../text-file.ts';
import { Budgets } from './budget.ts';

const texts = z
  .union([z.string(), z.array(z.string())], { error: 'Expected a text or a list of texts.' })
  .transform((value) => [value].flat())
  .optional();
const names = z
  .union([z.string(), z.array(z.string())], { error: 'Expected a list of names.' })
  .transform((value) => (typeof value === 'string' ? value.split(',') : value))
  .optional();
const formFactor = z.enum(['mobile', 'desktop', 'none'], { error: 'Expected mobile or desktop.' }).optional();
/** Headers as an object, as its JSON, or as a file with its JSON. Lighthouse CI leaves out those that are undefined. */
const ExtraHeaders = z.preprocess(
  (value) => {
    if (typeof value !== 'string') return value;
    return parsedJson(value.trimStart().startsWith('{') ? value : readTextFile(value)) ?? value;
  },
  z.record(z.string(), z.union([z.string(), z.number().transform(String)], { error: 'Expected a text.' }).optional(), {
    error: 'Expected an object of names and texts, or the same as JSON, or a file with this JSON.',
  }),
);

const Throttling = z.looseObject({
  rttMs: z.number().optional(),
  throughputKbps: z.number().optional(),
  cpuSlowdownMultiplier: z.number().optional(),
});

/** Settings of Lighthouse that checks have too. */
const Settings = z.looseObject({
  preset: z.string().optional(),
  formFactor,
  emulatedFormFactor: formFactor,
  onlyCategories: names,
  throttlingMethod: z.string().optional(),
  throttling: Throttling.optional(),
  extraHeaders: ExtraHeaders.optional(),
  blockedUrlPatterns: texts,
  budgets: Budgets.optional(),
  budgetPath: z.string().optional(),
});

const isPattern = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
};
const count = (smallest: number) => z.number({ error: 'Expected a number.' }).int().min(smallest).optional();

/** The part `collect` of a file of Lighthouse CI. Its names and defaults are those of Lighthouse CI. */
export const Collect = z.looseObject({
  method: z.string().optional(),
  url: texts,
  numberOfRuns: z
    .number({ error: 'Expected a number.' })
    .int()
    .min(1)
    .max(MAX_SAMPLES, `A check has at most ${MAX_SAMPLES} samples.`)
    .optional(),
  settings: Settings.optional(),
  startServerCommand: z.string().optional(),
  startServerReadyPattern: z.string().refine(isPattern, 'Expected a regular expression.').optional(),
  startServerReadyTimeout: count(0),
  staticDistDir: z.string().optional(),
  chromePath: z.string().optional(),
  isSinglePageApplication: z.boolean().optional(),
  autodiscoverUrlBlocklist: texts,
  maxAutodiscoverUrls: count(0),
  staticDirFileDiscoveryDepth: count(0),
});
export type Collect = z.infer<typeof Collect>;

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the inputs of checks that a file of Lighthouse CI sets, by the names of their flags. */
export const optionsOf = ({ numberOfRuns, chromePath, settings = {} }: Collect): Partial<RunOptions> => {
  const { preset, formFactor: form = settings.emulatedFormFactor ?? preset } = settings;
  const categories = settings.onlyCategories ?? (preset === 'perf' ? ['performance'] : undefined);
  const headers = Object.entries(settings.extraHeaders ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${value}`],
  );
  return {
    ...(chromePath !== undefined && { chromePath }),
    ...(numberOfRuns !== undefined && { samples: numberOfRuns }),
    ...((form === 'mobile' || form === 'desktop') && { device: [form] }),
    ...(categories && { category: categories }),
    ...throttlingOptions(settings, form),
    ...(headers.length > 0 && { header: headers }),
    ...(settings.blockedUrlPatterns && { blockedUrlPatterns: settings.blockedUrlPatterns }),
  };
};

/** Lighthouse throttles a desktop as a phone, unless its preset is `desktop`. A missing value is the one of that throttling. */
const throttlingOptions = ({ preset, throttlingMethod, throttling }: z.infer<typeof Settings>, form?: string) => {
  if (throttlingMethod === 'provided') return { throttling: 'none' } as const;
  const { rttMs, throughputKbps, cpuSlowdownMultiplier } = {
    ...(form === 'desktop' && preset !== 'desktop' && presets.mobile),
    ...throttling,
  };
  return Object.fromEntries(
    Object.entries({ rttMs, throughputKbps, cpuSlowdownMultiplier }).flatMap(([key, value]) =>
      value === undefined ? [] : [[`throttling.${key}`, value]],
    ),
  );
};

/** Returns a line for each part of `collect` that has no counterpart, with what to use instead. */
export const notesOn = (collect: Collect): string[] => {
  const { method, settings = {}, staticDistDir, startServerCommand } = collect;
  const { throttlingMethod = 'simulate', preset = 'desktop' } = settings;
  const inSettings = 'ci.collect.settings';
  return [
    ...(method === 'psi' ? ['ci.collect.method psi has no effect. The service audits the page itself.'] : []),
    ...(staticDistDir !== undefined && startServerCommand !== undefined
      ? ['ci.collect.startServerCommand has no effect beside staticDistDir, as in Lighthouse CI.']
      : []),
    ...unusedIn(collect, 'ci.collect', Collect),
    ...unusedIn(settings, inSettings, Settings),
    ...unusedIn(settings.throttling ?? {}, `${inSettings}.throttling`, Throttling),
    ...(['simulate', 'provided'].includes(throttlingMethod)
      ? []
      : [`${inSettings}.throttlingMethod ${throttlingMethod} has no effect. The service simulates the throttling.`]),
    ...(['desktop', 'mobile', 'perf'].includes(preset)
      ? []
      : [`${inSettings}.preset ${preset} has no effect. Use desktop or perf.`]),
  ];
};

/** Advice for parts that no check has. */
const advice: Readonly<Record<string, string>> = {
  puppeteerScript: ' Log in with a script of your own, and use --storage-state.',
  puppeteerLaunchOptions: ' The service starts Chromium with its own flags.',
  headful: ' The service has its own Chromium.',
  chromeFlags: ' The service starts Chromium with its own flags.',
  onlyAudits: ' Use onlyCategories.',
  skipAudits: ' Set the assertion of an audit to off.',
  screenEmulation: ' The device has the screen of its preset in Lighthouse.',
  output: ' Use --output to write files.',
  additive: ' The service keeps all checks.',
};

/** Flags of Chromium, and options of Puppeteer, that accept invalid certificates. */
const IGNORES_CERTIFICATES =
  /--ignore-certificate-errors|--allow-insecure-localhost|"(ignoreHTTPSErrors|acceptInsecureCerts)":true/;
const INVALID_CERTIFICATES =
  ' The service checks certificates. For an authority of your own, start it with EXTRA_CA_FILE=ca.pem.';

const unusedIn = (part: Record<string, unknown>, place: string, { shape }: { shape: object }): string[] =>
  Object.keys(part)
    .filter((key) => !Object.hasOwn(shape, key))
    .map((key) => {
      const ignoresCertificates = IGNORES_CERTIFICATES.test(JSON.stringify(part[key]) ?? '');
      return `${place}.${key} has no effect.${advice[key] ?? ''}${ignoresCertificates ? INVALID_CERTIFICATES : ''}`;
    });
