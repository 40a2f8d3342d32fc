import type { OptionName } from '../../shared/options/audit-options.ts';
import { secretNames } from '../../shared/options/secrets.ts';
import type { RunProblemCode } from '../../shared/problems.ts';

/** Next step after an error of a run, and the inputs of a check that it names. */
export type Advice = { text: string; inputs?: readonly OptionName[] };

const retryStep = {
  text: 'Audit the page again. If the error returns, send the id of the run to the operator.',
};

/** Next steps after the errors of a run. */
export const advice: Readonly<Record<RunProblemCode, Advice>> = {
  'dns-failure': { text: 'Check the spelling of the host, and that it has a public DNS record.' },
  unreachable: { text: 'Check that the server runs and accepts connections from the service.' },
  'tls-error': { text: 'Check the certificate of the server and its chain.' },
  'invalid-response': {
    text: "Check the headers of the server's answer, for example Content-Encoding or Location.",
  },
  'http-error': {
    text: 'Open the page yourself. A check of a page behind a login needs its headers, password, cookies or storage state.',
    inputs: secretNames,
  },
  'not-html': { text: 'Audit the address of an HTML page.' },
  'no-content': { text: 'Check that the page shows text or an image without a click.' },
  'page-hung': { text: 'Look for a script that never ends.' },
  'page-crashed': { text: 'Look for a script or a document that needs too much memory.' },
  'page-too-large': { text: 'Make the page smaller. The documentation has the limits.' },
  'load-timeout': { text: 'Look for a slow response of the server, or a style sheet that never arrives.' },
  'redirect-loop': { text: 'Look for a redirect that depends on a cookie or on the address of the visitor.' },
  'forbidden-target': { text: 'Change where the page leads, or audit another address.' },
  'browser-crashed': retryStep,
  'protocol-timeout': retryStep,
  'audit-timeout': retryStep,
  'no-screenshots': retryStep,
  'storage-failure': retryStep,
  abandoned: retryStep,
  internal: retryStep,
};

/** Returns the next step after an error of a run. A later release may have further codes. */
export const nextStep = ({ code, message }: { code: string; message: string }): string => {
  if (/refuse to open its port/.test(message)) return PORT_STEP;
  return (Object.hasOwn(advice, code) ? advice[code as RunProblemCode] : retryStep).text;
};

const PORT_STEP = 'Let the page lead to a port that browsers open, such as 80, 443 or 8080.';
