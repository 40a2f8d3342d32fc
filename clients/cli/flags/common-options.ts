import { extensions, formatNames } from '../formats/render.ts';
import { format, formatOrHtml, list, oneDevice, repeated, wholeNumber } from './flag-values.ts';
import { SAMPLES_WITH_BASE } from './option-flags.ts';

/* Options that several commands have. */

export const CHECK = ['<check>', 'id of a check or its start, a URL for its newest check, or last'] as const;
export const DATA = [
  '--data <folder>',
  'data folder of the service that the command starts without PAGE_AUDIT_URL',
] as const;
export const CHROME_PATH = [
  '--chrome-path <file>',
  'browser of the service that the command starts, or auto for the newest installed one (default: CHROMIUM)',
] as const;
export const BASE = [
  '--base <check>',
  'id of an earlier check, or a label such as branch=main. A regression is exit code 1, no verdict is 2',
] as const;
export const BASE_URL = [
  '--base-url <url>',
  'host that has the base of each page, under the same path or with the same label page',
] as const;
export const POOL = [
  '--pool <number>',
  'checks with the label of --base that make the base, 1 to 10 (default: 5)',
  wholeNumber,
] as const;
export const INTENDED = ['--intended <names>', 'differences from the base that you meant, such as url', list] as const;
export const ONE_DEVICE = ['--device <name>', 'mobile or desktop (default: mobile)', oneDevice] as const;
export const EXPERIMENT_SAMPLES = [
  '--samples <number>',
  'audits of each side',
  wholeNumber,
  SAMPLES_WITH_BASE,
] as const;
export const FORMAT = ['--format <name>', `format on stdout: ${formatNames.join(', ')}`, format, 'text'] as const;
export const FORMAT_OR_HTML = [
  '--format <name>',
  `format on stdout: ${formatNames.join(', ')}, or html for the report of Lighthouse`,
  formatOrHtml,
  'text',
] as const;
export const OUTPUT = [
  '--output <file>',
  `also write a file: ${[...extensions].map(([extension, name]) => (name === 'junit' ? `${extension} (JUnit)` : extension)).join(', ')}, or for each run .html (the report), .har or trace.json. Repeat it for more`,
  repeated,
] as const;
export const CI = [
  '--ci <name>',
  'results for a job of github (groups, annotations) or gitlab (code quality, dotenv), or none (default: as found)',
] as const;
export const VERBOSE = ['--verbose', 'all details: each region on its own, and the ids of the runs'] as const;
export const OPEN = ['--open', 'show the results in a browser'] as const;
