import { chromiumAgeDays, chromiumReleasedOn, PACKAGED_CHROMIUM, whyOutdated } from '../../shared/chromium.ts';
import type { Guard } from '../../shared/service/guards.ts';
import type { Browser } from '../../shared/service/offer.ts';
import { type AuditHost, auditHost, obstacleOf } from './readiness.ts';

/** On Lambda an API function shares its process with no auditor, and all auditors have the packaged Chromium. */
const elsewhere: AuditHost['chromium'] = {
  version: PACKAGED_CHROMIUM,
  source: 'package',
  releasedOn: chromiumReleasedOn(PACKAGED_CHROMIUM) ?? null,
};
const isPreparing = (): boolean => obstacleOf('auditors') !== undefined;

type Machine = {
  chromium: Browser | null;
  /** Null if other machines audit. */
  unguarded: Guard[] | null;
  /** A sentence that says why the browser is outdated, and what to do. */
  outdated: string | null;
};

/** Returns what is known of the machine that audits. Its browser is null until it is prepared. */
export const machineNow = (now: Date, host = auditHost()): Machine => {
  const browser = host?.chromium ?? (isPreparing() ? undefined : elsewhere);
  const unguarded = host ? [...host.unguarded] : null;
  if (!browser) return { chromium: null, unguarded, outdated: null };
  const why = whyOutdated(browser.version, browser.releasedOn, now);
  const advice = browser.source === 'installed' ? 'Update it.' : 'Install a newer one, and set CHROMIUM=auto.';
  return {
    chromium: { ...browser, ageDays: chromiumAgeDays(browser.releasedOn, now) },
    unguarded,
    outdated: why === undefined ? null : host ? `${why} ${advice}` : why,
  };
};
