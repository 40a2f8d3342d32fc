/** First day of each major version in Debian's archive, newest first. Chrome's release for desktops is a few days older. */
const releases: Readonly<Record<number, string>> = {
  156: '2026-10-21',
  155: '2026-10-11',
  154: '2026-09-24',
  153: '2026-09-16',
  152: '2026-08-31',
  151: '2026-07-29',
  150: '2026-07-04',
  149: '2026-06-06',
  148: '2026-05-06',
  147: '2026-04-09',
  146: '2026-03-11',
  145: '2026-02-12',
  144: '2026-01-13',
  143: '2025-12-03',
};
const majors = Object.keys(releases).map(Number);
const [OLDEST_KNOWN, NEWEST_KNOWN] = [Math.min(...majors), Math.max(...majors)];

/** Version of the Chromium in the npm package. */
export const PACKAGED_CHROMIUM = '153.0.8010.0';

/** Oldest major version in which all versions of Lighthouse have been tried. */
export const MIN_CHROMIUM = 131;

/** Age in days, and number of newer major versions, above which a browser is outdated. */
const MAX_AGE_DAYS = 60;
const MAX_MAJORS = 2;
const DAY_MS = 86_400_000;

export const chromiumMajorOf = (version: string): number => Number.parseInt(version.replace(/^\D*/, ''), 10);

/**
 * Returns the day on which the major version of a browser was released, from the table. A version that is newer than the
 * table has the day of its file. An older one has undefined.
 */
export const chromiumReleasedOn = (version: string, fileDate?: Date): string | undefined =>
  releases[chromiumMajorOf(version)] ??
  (chromiumMajorOf(version) > NEWEST_KNOWN ? fileDate?.toISOString().slice(0, 10) : undefined);

/** Returns the days since the release of a browser, or null if the day is unknown. */
export const chromiumAgeDays = (releasedOn: string | null, now: Date): number | null =>
  releasedOn === null ? null : Math.max(0, Math.floor((now.getTime() - Date.parse(releasedOn)) / DAY_MS));

/** Returns a sentence that says why a browser is outdated, or undefined. */
export const whyOutdated = (version: string, releasedOn: string | null, now: Date): string | undefined => {
  const major = chromiumMajorOf(version);
  const ageDays = chromiumAgeDays(releasedOn, now);
  const newer = NEWEST_KNOWN - major;
  if (newer <= MAX_MAJORS && (ageDays === null || ageDays <= MAX_AGE_DAYS)) return undefined;
  const age = ageDays === null ? `was released before ${releases[OLDEST_KNOWN]}` : `is ${ageDays} days old`;
  const since = newer > 0 ? `, and ${NEWEST_KNOWN} has been released since` : '';
  return `Chromium ${major} ${age}${since}. A hostile page may use faults that a newer one lacks.`;
};
