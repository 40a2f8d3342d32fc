import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Har } from 'chrome-har';
import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import { cutText } from '../../../shared/text.ts';
import { redactText } from '../../lib/redact.ts';
import { targetOf } from '../../lib/targets/public-addresses.ts';
import type { FailedTarget, FindFailed } from '../failed-targets.ts';
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
 * Returns the named files of a load. Masks replace cookies, credentials, bodies of requests, and parameters of URLs whose name
 * is that of a secret. Adds a warning that says why a file is missing.
 */
export const artifactsOf = async (
  names: readonly ArtifactName[] | undefined,
  load: GatheredLoad = {},
  warnings: string[],
  failedTargets: FindFailed = async () => [],
): Promise<{ artifacts?: KeptFiles }> => {
  if (!names) return {};
  const artifacts: KeptFiles = {};
  for (const name of names) {
    try {
      const file = await files[name](load, failedTargets);
      if (!file) throw new Error('the audit recorded none.');
      artifacts[name] = await compressed(file);
    } catch (error) {
      const why = error instanceof RangeError ? TOO_LONG : cutText((error as Error).message, 200);
      warnings.push(`There is no ${titles[name]}: ${why}`);
    }
  }
  return { artifacts };
};

/** V8 makes no longer text, and throws a RangeError. */
const TOO_LONG = 'it has more than 512 MB of text. Audit a part of the page, or keep the HAR alone.';

const compressed = async (file: object): Promise<KeptFile> => {
  const json = Buffer.from(JSON.stringify(file));
  return { gzip: await promisify(gzip)(json, { level: 6 }), bytes: json.length };
};

type MakeFile = (load: GatheredLoad, failedTargets: FindFailed) => Promise<object | undefined>;
const files: Record<ArtifactName, MakeFile> = {
  trace: async ({ Trace: trace, traces }) => sanitized(trace ?? traces?.defaultPass),
  har: async ({ DevtoolsLog: log, devtoolsLogs }, failedTargets) => {
    const messages = log ?? devtoolsLogs?.defaultPass;
    if (!messages) return undefined;
    const { harFromMessages } = await import('chrome-har'); // most audits need none
    return sanitized(withErrors(harFromMessages(withAnswers(messages)), messages, await failedTargets()));
  },
};

type Failure = { requestId: string; timestamp: number; errorText: string; blockedReason?: string };
const failuresIn = (messages: readonly Message[]): Map<string, Failure> =>
  new Map(
    messages.flatMap(({ method, params }) =>
      method === 'Network.loadingFailed' ? [[(params as Failure).requestId, params as Failure]] : [],
    ),
  );

/**
 * Gives each request that failed a response with the status 0, as Chrome's own export does. The library drops a request whose
 * failure is another than an abort.
 */
const withAnswers = (messages: readonly Message[]): Message[] => {
  const of = (name: string) => messages.filter(({ method }) => method === name).map(({ params }) => params as Failure);
  const answered = new Set(of('Network.responseReceived').map(({ requestId }) => requestId));
  const sentAt = new Map(of('Network.requestWillBeSent').map(({ requestId, timestamp }) => [requestId, timestamp]));
  return messages.flatMap((message) => {
    if (message.method !== 'Network.loadingFailed') return [message];
    const failed = message.params as Failure;
    const aborted = { ...message, params: { ...failed, errorText: 'net::ERR_ABORTED' } };
    const requestTime = sentAt.get(failed.requestId) ?? failed.timestamp;
    const timing = { sendStart: 0, sendEnd: 0, receiveHeadersEnd: 1000 * (failed.timestamp - requestTime) };
    const response = { ...NO_RESPONSE, timing: { requestTime, ...timing } };
    const answer = { method: 'Network.responseReceived', params: { ...failed, response } };
    return answered.has(failed.requestId) ? [aborted] : [answer, aborted];
  });
};
const NO_RESPONSE = {
  status: 0,
  statusText: '',
  headers: {},
  mimeType: 'x-unknown',
  protocol: '',
  connectionId: 0,
  encodedDataLength: 0,
};

/** Adds why requests failed, under the name of Chrome's own export. */
const withErrors = (har: Har, messages: readonly Message[], failedTargets: readonly FailedTarget[]): Har => {
  const failures = failuresIn(messages);
  for (const { _requestId, request, response } of har.log.entries) {
    const failure = failures.get(_requestId);
    if (failure) response._error = failure.blockedReason ?? causeOf(failure.errorText, request.url, failedTargets);
  }
  return har;
};

/** Returns the browser's error, or that of the service's proxy, if the browser only knows that its proxy failed. */
const causeOf = (errorText: string, url: string, failedTargets: readonly FailedTarget[]): string => {
  if (errorText !== 'net::ERR_SOCKS_CONNECTION_FAILED') return errorText;
  const { host, port } = targetOf(new URL(url));
  const failed = failedTargets.findLast((each) => each.host === host && each.port === port);
  if (!failed?.reason) return errorText;
  return failed.outcome === 'refused' ? `refused by this service: ${failed.reason}` : `${errorText}: ${failed.reason}`;
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
