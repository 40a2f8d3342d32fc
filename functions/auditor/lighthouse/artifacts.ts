import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import { cutText } from '../../../shared/text.ts';
import { redactText } from '../../lib/redact.ts';
import type { KeptFile, KeptFiles } from '../kept-files.ts';
import type { Trace } from './trace.ts';

type Message = { method: string; params: object };

/** Parts of a load that artifacts need. Before version 13 Lighthouse keeps them by pass. */
export type GatheredLoad = {
  Trace?: Trace;
  DevtoolsLog?: Message[];
  traces?: { defaultPass?: Trace };
  devtoolsLogs?: { defaultPass?: Message[] };
};

const titles = { trace: 'trace', har: 'HAR' } satisfies Record<ArtifactName, string>;

/**
 * Returns the named files of a load, with masks in place of cookies, credentials, bodies of requests, and parameters of URLs
 * whose name is that of a secret. Adds a warning that says why a file is missing.
 */
export const artifactsOf = async (
  names: readonly ArtifactName[] | undefined,
  load: GatheredLoad = {},
  warnings: string[],
): Promise<{ artifacts?: KeptFiles }> => {
  if (!names) return {};
  const artifacts: KeptFiles = {};
  for (const name of names) {
    try {
      const file = await files[name](load);
      if (!file) throw new Error('the audit recorded none.');
      artifacts[name] = await compressed(file);
    } catch (error) {
      warnings.push(`There is no ${titles[name]}: ${cutText((error as Error).message, 200)}`);
    }
  }
  return { artifacts };
};

const compressed = async (file: object): Promise<KeptFile> => {
  const json = Buffer.from(JSON.stringify(file));
  return { gzip: await promisify(gzip)(json, { level: 6 }), bytes: json.length };
};

const files: Record<ArtifactName, (load: GatheredLoad) => object | undefined | Promise<object | undefined>> = {
  trace: ({ Trace: trace, traces }) => sanitized(trace ?? traces?.defaultPass),
  har: async ({ DevtoolsLog: log, devtoolsLogs }) => {
    const messages = log ?? devtoolsLogs?.defaultPass;
    if (!messages) return undefined;
    const { harFromMessages } = await import('chrome-har'); // most audits need none
    return sanitized(harFromMessages(messages));
  },
};

/** A mask without brackets, because a URL with brackets is none. */
const MASK = 'redacted';
/** Names of headers, cookies and parameters whose values may be secrets. */
const secretNames = /cookie|authorization|token|api-?key|secret|csrf|session/i;

const masked = (text: string): string => {
  const clean = redactText(text);
  return clean === text ? text : clean.replaceAll(`[${MASK}]`, MASK);
};

/** Returns plain data of a browser with masks in place of secrets. The same values are missing in the browser's own export. */
export const sanitized = <T>(data: T): T => {
  const clean = (value: unknown, isSecret = false): unknown => {
    if (typeof value === 'string') return masked(value);
    if (Array.isArray(value)) return value.map((each) => clean(each, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    const { name, value: text } = value as { name?: unknown; value?: unknown };
    const isMasked = typeof text === 'string' && (isSecret || (typeof name === 'string' && secretNames.test(name)));
    const fields = Object.entries(value).map(([key, each]) => {
      if (key === 'postData') return [key, { mimeType: each?.mimeType ?? '', text: MASK }]; // a body with what a user typed
      return [key, isMasked && key === 'value' ? MASK : clean(each, key === 'cookies')];
    });
    return Object.fromEntries(fields);
  };
  return clean(data) as T;
};
