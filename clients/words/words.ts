import { counted } from './numbers.ts';

/** Why results can't be compared, by the code of the reason. */
export const reasonTexts: Readonly<Record<string, string>> = {
  failed: 'The run failed, so it is in no comparison.',
  'missing-region': 'Only one of the checks has this region.',
  contended:
    'Other programs used the CPU, and the times could not be corrected. They and the performance score have no verdict.',
  'different-machine':
    'The machines are of different kinds (CPU or memory). The performance score and the times have no verdict.',
  'fewer-samples': 'The performance score, the times and CLS have no verdict. They need at least 3 samples.',
};

/** Returns how long the page waited for a CPU, and whether the times are without that. */
export const cpuWaitText = ({
  cpuWaitMs,
  corrected,
}: {
  cpuWaitMs: number | null;
  corrected: boolean | null;
}): string => {
  if (cpuWaitMs === null) return '–';
  return `${cpuWaitMs.toLocaleString('en')} ms${corrected ? ', which the times are without' : ''}`;
};

/** Next steps after an error of a run, by its code. */
const nextSteps: Readonly<Record<string, string>> = {
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
};
/** Returns a sentence that says which variant of a check has failed. Returns nothing if that is the only one, or the first. */
export const failedVariantText = ({ variant }: { variant?: string | undefined }): string =>
  variant === 'against' ? 'The second variant of the check has failed.' : '';

/** Most ids that a note on unreadable data names. */
const MAX_NAMED = 3;

/** Returns that the stored data of checks or runs can't be read, and how to erase them. Only checks can be erased. */
export const unreadableNote = (ids: readonly string[], noun: 'check' | 'run' = 'check') => {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const named = `${counted(ids.length, noun)} can't be read: ${ids.slice(0, MAX_NAMED).join(', ')}${more}.`;
  return `${named} To erase ${noun === 'run' ? 'the check of a run' : 'a check'}: page-audit delete <check>`;
};

/** Next step after any other error. */
const retryStep = 'Audit the page again. If the error returns, send the id of the run to the operator.';

/** Returns the next step after an error of a run. */
export const nextStep = ({ code, message }: { code: string; message: string }): string =>
  /refuse to open its port/.test(message) ? PORT_STEP : (nextSteps[code] ?? retryStep);

const PORT_STEP = 'Let the page lead to a port that browsers open, such as 80, 443 or 8080.';
