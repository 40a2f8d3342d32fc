import type { RunProblemCode } from '../../shared/problems.ts';
import type { MainFrame, Outcome } from './messages.ts';
import type { Observation } from './observation.ts';

export type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

export const contentTypeDetail = (mimeType: string | null) =>
  mimeType ? `The document has the content type ${mimeType}.` : 'The document has an unknown content type.';

/** Returns why the main document failed. The proxy's decision says more than the browser's net error. */
export const faultOfDocument = (observation: Observation): Fault => {
  const { empty, url, failure } = observation.mainFrame;
  if (empty) return { code: 'no-content', detail: 'The server answered with an empty document.' };
  const { hostname, port, protocol } = new URL(url ?? 'http://unknown.invalid/');
  const decision = observation.decisionOn(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  if (decision && decision.outcome !== 'allowed') return byDecision[decision.outcome](hostname, decision.reason);
  if (!failure) return { code: 'unreachable' };
  for (const [pattern, rule] of byNetError) {
    const fault = pattern.test(failure) && rule(failure, observation);
    if (fault) return fault;
  }
  return { code: 'unreachable', detail: `The browser could not load the document: ${failure}.` };
};

const byDecision: Record<Exclude<Outcome, 'allowed'>, (host: string, reason?: string) => Fault> = {
  refused: (host) => ({
    code: 'forbidden-target',
    detail: `The page leads to ${host}, which the service does not audit.`,
  }),
  'dns-failure': (host, reason) => ({
    code: 'dns-failure',
    detail: `The host name ${host} does not resolve to an address${inParentheses(reason)}.`,
  }),
  'over-cap': () => ({ code: 'page-too-large' }),
  unreachable: (host, reason) => ({
    code: 'unreachable',
    detail: `The server ${host} is unreachable${inParentheses(reason)}.`,
  }),
};
const inParentheses = (reason: string | undefined) => (reason ? ` (${reason})` : '');

const byNetError: readonly [
  pattern: RegExp,
  fault: (failure: string, observation: Observation) => Fault | undefined,
][] = [
  [/^ERR_TOO_MANY_REDIRECTS$/, () => ({ code: 'redirect-loop' })],
  [
    /^ERR_(CERT|SSL|BAD_SSL|TLS|ECH|NO_SSL)/,
    (failure) => ({ code: 'tls-error', detail: `The TLS connection failed: ${failure}.` }),
  ],
  [
    /^ERR_(UNSAFE_|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|INVALID_REDIRECT)/,
    (failure) => ({
      code: 'forbidden-target',
      detail: `The page leads to an address that the service does not audit: ${failure}.`,
    }),
  ],
  [/^ERR_NAME_NOT_RESOLVED$/, () => ({ code: 'dns-failure' })],
  [
    /^ERR_(CONTENT_DECODING|INVALID_(HTTP_)?RESPONSE|INVALID_CHUNKED|RESPONSE_HEADERS_MULTIPLE|HTTP2|SPDY|HTTP_1_1)|^ERR_BLOCKED_BY_RESPONSE$/,
    (failure) => ({ code: 'invalid-response', detail: `The browser rejected the server's response: ${failure}.` }),
  ],
  [/^ERR_ABORTED$/, (_, { mainFrame }) => faultOfAborted(mainFrame)],
];

const faultOfAborted = ({ status, attachment, mimeType }: MainFrame): Fault | undefined => {
  if (status !== null && STATUSES_WITHOUT_CONTENT.includes(status)) {
    return { code: 'no-content', detail: `The server answered with status ${status}, which has no content.` };
  }
  if (attachment) return { code: 'not-html', detail: 'The server sent the document as a download.' };
  if (mimeType && !/html/.test(mimeType)) return { code: 'not-html', detail: contentTypeDetail(mimeType) };
  return undefined;
};
const STATUSES_WITHOUT_CONTENT: readonly number[] = [204, 205, 304];
