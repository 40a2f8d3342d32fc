import { UsageError } from '../exit-codes.ts';

/** Options of Lighthouse and Lighthouse CI, and the option of `run` that does the same. */
const sameAs: Readonly<Record<string, string>> = {
  '--preset': '--device',
  '--form-factor': '--device',
  '--emulated-form-factor': '--device',
  '--only-categories': '--category',
  '--number-of-runs': '--samples',
  '-n': '--samples',
  '--view': '--open',
  '--output-path': '--output',
};

/** Options without a counterpart, and what to use instead. */
const advice: Readonly<Record<string, string>> = {
  '--only-audits':
    'Use --category for the category with these audits, such as --category accessibility, and --assert for limits of single audits.',
  '--skip-audits': 'Set the assertion of an audit to off, in the file of --assert.',
  '--extra-headers': "Use --header 'name: value'.",
  '--chrome-flags': 'The service starts Chromium with its own flags.',
};

/** A URL, or a host that lacks its scheme: `run` says which scheme is meant. No command has a dot or a colon. */
const PAGE =
  /^(?:https?:\/\/|localhost(?:[:/]|$)|\[[\da-f:]+\]|[\w-]+:\d+|(?!.*\.(?:json|[cm]?js|ya?ml|html|txt)$)[\w-]+(?:\.[\w-]+)+(?:[:/]|$))/i;

/** Lets people type what they know: a URL alone is `run`, and options of Lighthouse are those of `run`. */
export const withLighthouseFlags = (args: readonly string[]): string[] => {
  if (args[0] === 'trend')
    throw new UsageError(
      'trend is no command. The web page of the service shows a page over time, at /pages?url=<url>. page-audit pages prints the newest change of each page.',
    );
  const named = PAGE.test(args[0] ?? '') ? ['run', ...args] : [...args];
  if (named[0] !== 'run') return named;
  const end = named.indexOf('--');
  return named.map((arg, i) => {
    if (end !== -1 && i > end) return arg;
    const [name = '', ...value] = arg.split('=');
    if (Object.hasOwn(advice, name)) throw new UsageError(`${name} is no option of run. ${advice[name]}`);
    return Object.hasOwn(sameAs, name) ? [sameAs[name], ...value].join('=') : arg;
  });
};
