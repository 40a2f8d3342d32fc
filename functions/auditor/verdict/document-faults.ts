import type { RunProblemCode } from '../../../shared/problems.ts';
import type { MainFrame, Outcome } from '../messages.ts';
import { type Observation, type Target, targetText } from './observation.ts';

export type Fault = { code: RunProblemCode; auditCode?: string | null; detail?: string };

export const contentTypeDetail = (mimeType: string | null) =>
  mimeType ? `The document has the content type ${mimeType}.` : 'The document has an unknown content type.';

/** Returns why the main document failed. The proxy's decision says more than the browser's net error. */
export const faultOfDocument = (observation: Observation): Fault => {
  const { empty, url, failure } = observation.mainFrame;
  if (empty) return { code: 'no-content', detail: 'The server answered with an empty document.' };
  const { hostname, port, protocol } = new URL(url ?? 'http://unknown.invalid/');
  const target = { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const decision = observation.decisionOn(target.host, target.port);
  if (decision && decision.outcome !== 'allowed') return byDecision[decision.outcome](target, decision.reason);
  if (!failure) return { code: 'unreachable' };
  for (const [pattern, rule] of byNetError) {
    const fault = pattern.test(failure) && rule(failure, observation);
    if (fault) return fault;
  }
  return { code: 'unreachable', detail: `The browser could not load the document: ${failure}.` };
};

const byDecision: Record<Exclude<Outcome, 'allowed'>, (target: Target, reason?: string) => Fault> = {
  refused: (target, reason) => ({
    code: 'forbidden-target',
    detail: `The page leads to ${targetText(target)}, which the service does not audit.${reason ? ` ${reason}` : ''}`,
  }),
  'dns-failure': ({ host }, reason) => ({
    code: 'dns-failure',
    detail: `The host name ${host} does not resolve to an address${inParentheses(reason)}.`,
  }),
  'over-cap': (target, reason) => ({
    code: 'page-too-large',
    detail: `The connection to ${targetText(target)} exceeded a limit of the service${inParentheses(reason)}.`,
  }),
  unreachable: (target, reason) => ({
    code: 'unreachable',
    detail: `The server ${targetText(target)} is unreachable${inParentheses(reason)}.`,
  }),
};
const inParentheses = (reason: string | undefined) => (reason ? ` (${reason})` : '');

const byNetError: readonly [
  pattern: RegExp,
  fault: (failure: string, observation: Observation) => Fault | undefined,
][] = [
  [/^ERR_TOO_MANY_REDIRECTS$/, () => ({ code: 'redirect-loop' })],
  [
    /^ERR_(BAD_SSL_CLIENT_AUTH_CERT|SSL_CLIENT_AUTH_CERT_NEEDED)$/,
    (failure) => ({
      code: 'tls-error',
      detail: `The server requires a client certificate (${failure}), and an audit has none. Audit the page at an address that needs none.`,
    }),
  ],
  [
    /^ERR_CERT_AUTHORITY_INVALID$/,
    (failure) => ({
      code: 'tls-error',
      detail: `The server's certificate is self-signed or from an authority that browsers do not know (${failure}). On a machine of your own, start the service with EXTRA_CA_FILE=<PEM file of the authority that issued it, such as mkcert's>.`,
    }),
  ],
  [
    /^ERR_(CERT|SSL|BAD_SSL|TLS|ECH|NO_SSL)/,
    (failure) => ({ code: 'tls-error', detail: `The TLS connection failed: ${failure}.` }),
  ],
  [
    /^ERR_UNSAFE_PORT$/,
    (_, { mainFrame }) => ({
      code: 'forbidden-target',
      detail: `The page leads to ${mainFrame.url}. Browsers refuse to open its port.`,
    }),
  ],
  [
    /^ERR_(UNSAFE_REDIRECT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)$/,
    (failure) => ({
      code: 'forbidden-target',
      detail: `The page leads to an address that is not http or https, such as a file: or data: address (${failure}).`,
    }),
  ],
  [
    /^ERR_INVALID_REDIRECT$/,
    (failure) => ({
      code: 'invalid-response',
      detail: `The server redirects to an address that is not a valid URL (${failure}). Correct its Location header.`,
    }),
  ],
  [/^ERR_NAME_NOT_RESOLVED$/, () => ({ code: 'dns-failure' })],
  [
    /^ERR_(CONTENT_DECODING|INVALID_(HTTP_)?RESPONSE|INVALID_CHUNKED|RESPONSE_HEADERS_MULTIPLE|HTTP2|SPDY|HTTP_1_1)|^ERR_BLOCKED_BY_RESPONSE$/,
    (failure) => ({ code: 'invalid-response', detail: `The browser rejected the server's response: ${failure}.` }),
  ],
  [
    /^ERR_FAILED$/, // a fresh browser has no service worker before its first document
    (failure, { mainFrame }) =>
      mainFrame.navigations > 0
        ? {
            code: 'unreachable',
            detail: `The document failed inside the browser (${failure}), although the server could be reached. The page's service worker probably answered the request and failed. Correct its fetch handler.`,
          }
        : undefined,
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
