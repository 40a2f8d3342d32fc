import type { OptionName } from '../../shared/options/audit-options.ts';
import { loginNames } from '../../shared/options/secrets.ts';
import type { RunProblemCode } from '../../shared/problems.ts';

const retryStep = 'Audit the page again. If the error returns, send the id of the run to the operator.';

/** Next steps after the errors of a run. */
export const advice: Readonly<Record<RunProblemCode, string>> = {
  'dns-failure': 'Check the spelling of the host, and that it has a public DNS record.',
  unreachable: 'Check that the server runs and accepts connections from the service.',
  'tls-error': 'Check the certificate of the server and its chain.',
  'invalid-response': "Check the headers of the server's answer, for example Content-Encoding or Location.",
  'http-error':
    'Open the page yourself. A check of a page behind a login needs its headers, password, cookies or storage state.',
  'not-html': 'Audit the address of an HTML page.',
  'no-content': 'Check that the page shows text or an image without a click.',
  'page-hung': 'Look for a script that never ends.',
  'page-crashed': 'Look for a script or a document that needs too much memory.',
  'page-too-large': 'Make the page smaller. The documentation has the limits.',
  'load-timeout': 'Look for a slow response of the server, or a style sheet that never arrives.',
  'redirect-loop': 'Look for a redirect that depends on a cookie or on the address of the visitor.',
  'forbidden-target': 'Change where the page leads, or audit another address.',
  'browser-crashed': retryStep,
  'protocol-timeout': retryStep,
  'audit-timeout': retryStep,
  'no-screenshots': retryStep,
  'storage-failure': retryStep,
  abandoned: retryStep,
  internal: retryStep,
};

/** Inputs of a check that an advice names. */
export const advisedInputs: { [Code in RunProblemCode]?: readonly OptionName[] } = { 'http-error': loginNames };

/** Returns the next step after an error of a run. A later release may have further codes. */
export const nextStep = ({ code, message }: { code: string; message: string }): string => {
  if (/refuse to open its port/.test(message)) return PORT_STEP;
  return Object.hasOwn(advice, code) ? advice[code as RunProblemCode] : retryStep;
};

const PORT_STEP = 'Let the page lead to a port that browsers open, such as 80, 443 or 8080.';
