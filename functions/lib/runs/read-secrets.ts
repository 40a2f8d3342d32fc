import type { Secrets } from '../../../shared/options/secrets.ts';
import { SECRET_DAYS } from '../../../shared/options/secrets.ts';
import type { Variant } from '../../../shared/options/variants.ts';
import { pick } from '../../../shared/pick.ts';
import { runError } from '../../../shared/problems.ts';
import { idsOf, log } from '../log.ts';
import { retry } from '../retry.ts';
import type { RunItem } from '../store/items.ts';
import type { Lease } from '../store/leases.ts';
import type { SecretStore } from '../store/secrets.ts';
import { inputsOf } from './run-variants.ts';

type Work = {
  secrets: Pick<SecretStore, 'get'>;
  lease: Lease;
  retryDelaysMs: readonly number[];
  remainingMs: () => number;
  signal: AbortSignal;
};

/** Time of the invocation that is kept for its end, in milliseconds. */
const END_MS = 1000;
/** Time limit for the retries of a read, in milliseconds. Then the queue delivers the job again. */
const READ_MS = 30_000;

/**
 * Returns the secrets of a run's check, or `gone` if the check has some and they are deleted. Such a run fails, because a
 * page that asks for a login is another page.
 */
export const readSecrets = async ({ secrets, lease, ...work }: Work): Promise<Secrets | undefined | 'gone'> => {
  const { secretsKey } = lease.run;
  if (secretsKey === undefined) return undefined;
  const found = await retry(() => secrets.get(secretsKey), work, Math.max(END_MS, work.remainingMs() - READ_MS));
  if (found) return found;
  log.error('The secrets of the check are gone.', idsOf(lease.run));
  return 'gone';
};

/** The error of a run whose secrets are gone. */
export const secretsGone = () =>
  runError('storage-failure', {
    detail: `The service does not have the headers, the credentials, the cookies, the storage state and the secret texts of this check any more, so it did not audit the page. It keeps them until the check ends, and at most ${SECRET_DAYS} days. Create the check again.`,
  });

/**
 * Returns the secrets for the audit of a variant. Headers and credentials are for the origin of the check's own URL. A second
 * variant at another origin gets cookies and storage, which have a domain or an origin of their own. It also gets secret texts,
 * which are for the site of both.
 */
export const secretsFor = (run: RunItem, variant: Variant, secrets: Secrets | undefined): Secrets | undefined => {
  if (!secrets || originOf(inputsOf(run, variant).url) === originOf(run.url)) return secrets;
  return pick(secrets, ['cookies', 'storageState', 'secretTexts']);
};

const originOf = (url: string): string => new URL(url).origin;
