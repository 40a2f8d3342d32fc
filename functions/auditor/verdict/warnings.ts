import { redactText } from '../../lib/redact.ts';
import { isAtLogin } from '../login-page.ts';
import type { AuditSummary, MainFrame } from '../messages.ts';
import { warningsOfMoves } from './moves.ts';
import { type Observation, targetText } from './observation.ts';
import { wasHeld } from './shortage.ts';

const MAX_WARNINGS = 50;

/** Returns the warnings of Lighthouse and of the service. */
export const warningsOf = (
  summary: AuditSummary | undefined,
  finalUrl: string | null,
  observation: Observation,
): string[] => {
  const { blocked, overCap, mainFrame } = observation;
  const proxyWarnings: Warning[] = [
    [blocked.blockedRequestCount > 0, blockedWarning(blocked)], // stays first, because the page is not what its visitors see
    [
      overCap.length > 0,
      `The page exceeded a limit of the service (${overCap[0]?.reason}). Requests to these hosts failed: ${firstOf(overCap.map(({ host }) => host))}.`,
    ],
  ];
  const all = [
    ...textsOf(proxyWarnings),
    ...warningsOfLogin(observation, finalUrl),
    ...(summary ? warningsOfLighthouse(summary, mainFrame) : []),
    ...warningsOfMoves(mainFrame),
    ...textsOf(summary ? [...warningsOfSummary(summary), heldWarning(observation)] : []),
    ...steadyWarningsOf(summary, observation),
  ];
  return all.slice(0, MAX_WARNINGS).map(redactText);
};

/** Returns the blocked targets, each with the rule that applied. */
const blockedWarning = ({ blockedRequests, blockedRequestCount }: Observation['blocked']): string => {
  const rules = [...Map.groupBy(blockedRequests, ({ reason }) => reason)]
    .slice(0, 3)
    .map(([reason, requests]) => `${firstOf(requests.map(targetText))}: ${reason}`);
  const what = `The service blocked ${blockedRequestCount} request(s) of the page`;
  return `${what}, so a visitor may see another page. ${rules.join(' ')}`;
};

/**
 * Corrects Lighthouse's warning about a timeout. It blames a slow load, also if the page loaded and then was never idle. Leaves
 * out the one about stored data, because a new profile has only those of the check's storage state.
 */
const warningsOfLighthouse = ({ warnings, metrics }: AuditSummary, { loaded }: MainFrame): string[] => {
  const missing = metrics.fcp === null ? 'painted nothing that counts as content, or was not idle,' : 'was not idle';
  const timeout = `The page loaded, but ${missing} within the time limit. Results may be incomplete.`;
  return warnings
    .filter((text) => !/^There may be stored data affecting/.test(text))
    .map((text) => (loaded && /^The page loaded too slowly/.test(text) ? timeout : text));
};

type Warning = readonly [applies: boolean, text: string];
const textsOf = (warnings: Warning[]) => warnings.filter(([applies]) => applies).map(([, text]) => text);

/** Returns the warnings about a result. After a runtime error Lighthouse makes no audit, so these warnings would say nothing. */
const warningsOfSummary = ({ runtimeError, erroredAudits, withoutMeaningfulPaint }: AuditSummary): Warning[] => [
  erroredWarning(runtimeError ? [] : erroredAudits.filter(({ isSteady }) => !isSteady)),
  [
    withoutMeaningfulPaint && !runtimeError,
    'The browser reported no first meaningful paint. TTI and TBT are based on the largest contentful paint, as in Lighthouse 12.',
  ],
];

const heldWarning = (observation: Observation): Warning => [
  wasHeld(observation),
  `The service itself was busy for ${Math.round(observation.proxyHeldMs)} ms while it passed on the requests of the page. The times may be too long.`,
];

const erroredWarning = (audits: readonly { id: string }[]): Warning => [
  audits.length > 0,
  `Lighthouse could not complete these audits: ${audits.map(({ id }) => id).join(', ')}.`,
];

/** Returns the warnings about the parts without noise. */
export const steadyWarningsOf = (summary: AuditSummary | undefined, { order, mainFrame }: Observation): string[] => {
  const ofSummary = summary && !summary.runtimeError ? steadyWarningsOfSummary(summary, mainFrame) : [];
  const ofRetry: Warning = [
    order.skipOptionalParts && !order.timedOnly,
    'The page hung in an earlier attempt. This attempt skipped the bf-cache audit and the full-page screenshot.',
  ];
  return textsOf([...ofSummary, ofRetry]).map(redactText);
};

const steadyWarningsOfSummary = (summary: AuditSummary, { large, everFinished }: MainFrame): Warning[] => [
  erroredWarning(summary.erroredAudits.filter(({ isSteady }) => isSteady)),
  [
    summary.uncheckedRules.length > 0,
    `This audit version could not check these accessibility rules, so they do not count: ${summary.uncheckedRules.join(', ')}.`,
  ],
  [summary.withoutCharset, `${charsetCause(large, everFinished)} Its charset was not audited and does not count.`],
  [summary.screenshotMissing, 'Lighthouse could not take the full-page screenshot.'],
];

/** Returns why the browser has no copy of the document for the charset audit. */
const charsetCause = (large: boolean, everFinished: boolean): string => {
  if (large) return 'The document is larger than 10 MB.';
  return everFinished ? 'The browser kept no copy of the document.' : 'The document did not finish loading.';
};

/** Names the first three of these texts, each once, and counts the others. */
const firstOf = (texts: string[]): string => {
  const all = [...new Set(texts)];
  return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ');
};

/** Returns the warnings about an audit with secrets: the page asks for a login all the same, or the browser lacks some. */
const warningsOfLogin = ({ sentSecretsTo, end }: Observation, finalUrl: string | null): string[] => {
  if (sentSecretsTo === undefined || end.how !== 'audited') return [];
  const { refusedCookies = [], expiredCookies = [], refusedDatabases = [], asksForPassword = false } = end.login ?? {};
  const named = (names: readonly string[], text: string, advice = '') =>
    names.length > 0 ? [`${text}: ${[...new Set(names)].join(', ')}.${advice}`] : [];
  return [
    ...(isAtLogin(sentSecretsTo, finalUrl, { asksForPassword, status: end.status }) ? [loginWarning(finalUrl)] : []),
    ...named(refusedCookies, 'The browser refused these cookies of the check'),
    ...named(expiredCookies, 'These cookies of the check have expired', ' Log in again, and send the new ones.'),
    ...named(
      refusedDatabases,
      'The browser could not fill these IndexedDB databases of the storage state',
      ' Save the state again.',
    ),
  ];
};

const loginWarning = (finalUrl: string | null): string =>
  `The page led to ${finalUrl}, which looks like a login, although the check has secrets. They may be wrong or out of date.`;
