import { cutText } from '../../../shared/text.ts';
import { auditFacts } from '../../words/facts.ts';
import type { CheckResult } from '../run/result.ts';

const MAX_URL_LENGTH = 200;

/** Returns the URL of a check, cut if it is long, and the facts about its audits with the labels that are not hidden. */
export const titleOf = (
  { check }: Pick<CheckResult, 'check'>,
  hidden: readonly string[] = [],
): { url: string; facts: string } => {
  const labels = Object.entries(check.labels ?? {}).flatMap(([name, value]) =>
    hidden.includes(name) ? [] : [`${name}=${value}`],
  );
  const facts = [...auditFacts(check), ...labels];
  return { url: shortUrl(check.url), facts: facts.join(', ') };
};

/** Returns a URL that people can read: on one line, and cut if it is long. */
export const shortUrl = (url: string): string => cutText(url, MAX_URL_LENGTH);

/**
 * Returns the URL of the page that shows the check. Returns undefined if the service ends with the command, or if its
 * answer would lead to another server.
 */
export const linkOf = ({ check, server }: Pick<CheckResult, 'check' | 'server'>): string | undefined =>
  server !== null && /^\/[\w/-]*$/.test(check.links.page)
    ? `${server.replace(/\/+$/, '')}${pageIn(check.links.page)}`
    : undefined;

/** Returns the path of a check's page in the service, whose URL may have a path itself. */
const pageIn = (link: string): string => link.slice(Math.max(0, link.lastIndexOf('/checks/')));
