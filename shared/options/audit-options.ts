import { type AuditVersion, auditVersion } from '../audit-versions.ts';
import { acceptedArtifacts, artifactNames } from './artifacts.ts';
import { acceptedBlockedUrls } from './blocked-urls.ts';
import { acceptedLabels } from './labels.ts';
import {
  acceptedBasicAuth,
  acceptedCookies,
  acceptedHeaders,
  acceptedSecretTexts,
  acceptedStorageState,
  type SecretName,
  secretNames,
} from './secrets.ts';
import { acceptedSimulations, simulationPresetNames } from './simulations.ts';
import { acceptedThrottling } from './throttling.ts';
import { acceptedAgainst } from './variants.ts';

export const devices = ['mobile', 'desktop'] as const;
export type Device = (typeof devices)[number];

export const categories = ['performance', 'accessibility', 'best-practices', 'pwa', 'seo', 'agentic-browsing'] as const;
export type Category = (typeof categories)[number];
/**
 * Categories without noise. The first sample of a run audits them for all samples. PWA and agentic browsing are none of them,
 * because they share scored audits with performance.
 */
export const steadyCategories = ['accessibility', 'best-practices', 'seo'] as const satisfies readonly Category[];
export const isSteady = (category: Category): boolean => (steadyCategories as readonly Category[]).includes(category);

export const MAX_SAMPLES = 15;
/** Number of samples of a run, or `auto` for as many pairs of two variants as show their changes clearly. */
export type Samples = number | 'auto';

export type Option = {
  /** The option belongs to each audit of a run, to the run, or to the check. */
  of: 'audit' | 'run' | 'check';
  /** Value of a check that was created without the option. Without a default, the check lacks the option. */
  default?: string | number;
  /** Says what a create accepts. Without it, the messages of the option's schema say so. */
  accepted?: string;
  /** Metrics without a verdict between checks with different values. Without it, a comparison ignores the option. */
  spoils?: 'all' | 'times' | 'none';
  /** Name of two values that differ, as one and as many. An option that spoils metrics has it. */
  nouns?: readonly [one: string, many: string];
  /** Name of the option for people. */
  title: string;
  /** Field of the page's form. Without a field, the form has code for the option. */
  field?: { kind: 'lines' | 'simulations' | 'json'; help: string };
  /** Flags of the command. Without one, the command has code for the option. */
  flag?: Flag | readonly Flag[];
};

/** Flag of the command, and how the command reads its value. */
type Flag = {
  name: `--${string}`;
  value: 'samples' | 'list' | 'repeated' | 'simulations' | 'jsonFile' | 'recording';
  help: string;
};

/**
 * The optional inputs of a create. `audit-options-schemas.ts` has the schema of each. Add an option at the end, because the
 * fingerprint of a stored check depends on the order.
 */
export const options = {
  device: {
    of: 'audit',
    default: 'mobile',
    accepted: `The device must be one of: ${devices.join(', ')}.`,
    spoils: 'all',
    nouns: ['device', 'devices'],
    title: 'Device',
  },
  samples: {
    of: 'run',
    default: 1,
    accepted: `The number of samples must be a whole number from 1 to ${MAX_SAMPLES}, or \`"auto"\` with \`against\`.`,
    title: 'Samples',
    flag: {
      name: '--samples <number>',
      value: 'samples',
      help: `audits of each run, 1 to ${MAX_SAMPLES}, or auto with --against. From 3 on, times have verdicts`,
    },
  },
  categories: {
    of: 'audit',
    accepted: `The categories must be a list of one or more of these, each once: ${categories.join(', ')}.`,
    spoils: 'none',
    nouns: ['categories', 'categories'],
    title: 'Categories',
    flag: { name: '--category <names>', value: 'list', help: 'categories (default: all)' },
  },
  labels: { of: 'check', accepted: acceptedLabels, title: 'Labels' },
  throttling: {
    of: 'audit',
    accepted: acceptedThrottling,
    spoils: 'times',
    nouns: ['throttling', 'throttlings'],
    title: 'Throttling',
  },
  blockedUrlPatterns: {
    of: 'audit',
    accepted: acceptedBlockedUrls,
    spoils: 'all',
    nouns: ['blocked URLs', 'blocked URL patterns'],
    title: 'Blocked URL patterns',
    field: { kind: 'lines', help: 'One on each line, for example *://ads.example.com/*. * stands for any characters.' },
    flag: {
      name: '--blocked-url-patterns <pattern>',
      value: 'repeated',
      help: 'block requests whose URL contains it. Repeat it for more',
    },
  },
  against: { of: 'run', accepted: acceptedAgainst, title: 'Compared with' },
  simulations: {
    of: 'audit',
    accepted: acceptedSimulations,
    title: 'Simulations',
    field: {
      kind: 'simulations',
      help: `One on each line: ${simulationPresetNames.join(', ')}, or a name with round trip (ms), kbit/s and CPU slowdown, such as train=800/200/4.`,
    },
    flag: {
      name: '--simulate <names>',
      value: 'simulations',
      help: `simulate the same load for other networks and phones: ${simulationPresetNames.join(', ')}, or train=800/200/4`,
    },
  },
  headers: { of: 'check', accepted: acceptedHeaders, spoils: 'all', nouns: ['headers', 'headers'], title: 'Headers' },
  basicAuth: {
    of: 'check',
    accepted: acceptedBasicAuth,
    spoils: 'all',
    nouns: ['password', 'passwords'],
    title: 'User name and password',
  },
  cookies: { of: 'check', accepted: acceptedCookies, spoils: 'all', nouns: ['cookies', 'cookies'], title: 'Cookies' },
  storageState: {
    of: 'check',
    accepted: acceptedStorageState,
    spoils: 'all',
    nouns: ['storage state', 'storage states'],
    title: 'Storage state',
  },
  assertions: {
    of: 'check',
    title: 'Assertions (JSON)',
    field: {
      kind: 'json',
      help: 'In the form of Lighthouse CI, for example { "categories:performance": ["error", { "minScore": 0.9 }] }',
    },
  },
  interactions: {
    of: 'audit',
    title: 'Interactions (JSON)',
    field: {
      kind: 'json',
      help: 'What to do after the load, for example [{ "name": "search", "steps": [{ "click": "text/Search" }] }], or a recording that Chrome DevTools exports as JSON',
    },
    flag: [
      { name: '--interactions <file>', value: 'jsonFile', help: 'JSON file with what to do after the load' },
      {
        name: '--recording <file>',
        value: 'recording',
        help: 'or a recording that Chrome DevTools exports as JSON. Repeat it for more',
      },
    ],
  },
  artifacts: {
    of: 'audit',
    accepted: acceptedArtifacts,
    title: 'Files to keep',
    field: {
      kind: 'lines',
      help: `One on each line: ${artifactNames.join(', ')}, for DevTools. The service keeps them for 14 days.`,
    },
    flag: {
      name: '--artifacts <names>',
      value: 'list',
      help: `keep these files too for 14 days: ${artifactNames.join(', ')}`,
    },
  },
  secretTexts: { of: 'check', accepted: acceptedSecretTexts, title: 'Secret texts' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;
export const optionNames = Object.keys(options) as OptionName[];

type PlainOptionName = Exclude<OptionName, SecretName>;
/** Names of the options whose values answers show. */
export const plainOptionNames = optionNames.filter(
  (name): name is PlainOptionName => !(secretNames as readonly string[]).includes(name),
);

export type NamesOf<Of extends Option['of']> = {
  [Name in OptionName]: (typeof options)[Name]['of'] extends Of ? Name : never;
}[OptionName];

/** Returns the names of the options of each audit, of a run, or of a check. */
export const namesOf = <Of extends Option['of']>(of: Of): NamesOf<Of>[] =>
  optionNames.filter((name): name is NamesOf<Of> => options[name].of === of);

/** Name of an option with different values of which two checks may not be comparable. */
export type SpoilingOption = {
  [Name in OptionName]: (typeof options)[Name] extends { spoils: string; nouns: object } ? Name : never;
}[OptionName];
export const spoilingOptions = optionNames.filter((name): name is SpoilingOption => 'spoils' in options[name]);

/** Returns the categories that an audit measures. */
export const categoriesOf = (version: AuditVersion, sent: { categories?: Category[] | undefined }): Category[] =>
  sent.categories ?? categoriesIn(version).filter((category) => category !== 'agentic-browsing');

/** Returns the categories that an audit version has. */
export const categoriesIn = (version: AuditVersion): Category[] => {
  const { pwa, agenticBrowsing } = auditVersion(version);
  return categories.filter(
    (category) => (category !== 'pwa' || pwa) && (category !== 'agentic-browsing' || agenticBrowsing),
  );
};
