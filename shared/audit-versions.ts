type Row = {
  version: string;
  /** Name that the release is installed under. */
  package: string;
  module: 'esm' | 'cjs';
  /** Folder of the release's sources. */
  core: string;
  /** True if the release audits a Puppeteer page. Otherwise it connects to the browser's debugging port. */
  acceptsPage: boolean;
  /** True if the release has the category `pwa`. */
  pwa: boolean;
  /** True if the release has the category `agentic-browsing`. */
  agenticBrowsing: boolean;
  /** True if the release computes TTI and TBT from a first meaningful paint. */
  needsMeaningfulPaint: boolean;
};

const since10 = { module: 'esm', core: 'core', acceptsPage: true, agenticBrowsing: false } as const;
const since13 = { ...since10, agenticBrowsing: true } as const;
const upTo9 = { module: 'cjs', core: 'lighthouse-core', acceptsPage: false, agenticBrowsing: false } as const;

/** The supported Lighthouse releases, newest first: the newest release of each major version, and of the previous minor version. */
export const auditVersions = [
  { version: '13.5.0', package: 'lighthouse', ...since13, pwa: false, needsMeaningfulPaint: false },
  { version: '13.4.1', package: 'lighthouse-previous', ...since13, pwa: false, needsMeaningfulPaint: false },
  { version: '12.8.2', package: 'lighthouse-12', ...since10, pwa: false, needsMeaningfulPaint: false },
  { version: '11.7.1', package: 'lighthouse-11', ...since10, pwa: true, needsMeaningfulPaint: true },
  { version: '10.4.0', package: 'lighthouse-10', ...since10, pwa: true, needsMeaningfulPaint: true },
  { version: '9.6.8', package: 'lighthouse-9', ...upTo9, pwa: true, needsMeaningfulPaint: true },
] as const satisfies readonly Row[];

/** Version of Lighthouse. A result that was uploaded may have one in which the service does not audit. */
export type AuditVersion = `${number}.${number}.${number}`;

export const majorOf = (version: string): string => version.slice(0, version.indexOf('.'));

/** Returns true if one load of a page can be judged by both versions: the newer one gathers everything that the older one needs. */
export const shareLoads = (version: AuditVersion, other: AuditVersion): boolean => majorOf(version) === majorOf(other);

/** Returns true if the first of two supported versions is newer. */
export const isNewer = (version: AuditVersion, other: AuditVersion): boolean => placeOf(version) < placeOf(other);
const placeOf = (version: AuditVersion): number => auditVersions.findIndex((row) => row.version === version);

const minorOf = (version: string): string => version.slice(0, version.lastIndexOf('.'));

/** Returns true if no supported release of the same major version is newer. */
export const isNewestOfMajor = (version: AuditVersion): boolean =>
  version === auditVersions.find((row) => majorOf(row.version) === majorOf(version))?.version;

/**
 * Returns the names that a client may use besides the version: its minor version, its major version if it is the newest of
 * that, and `latest` for the newest of all.
 */
export const aliasesOf = (version: AuditVersion): string[] => [
  ...(version === auditVersions[0].version ? ['latest'] : []),
  ...(isNewestOfMajor(version) ? [majorOf(version)] : []),
  minorOf(version),
];

/** All names of all versions. */
export const auditVersionNames: readonly string[] = auditVersions.flatMap(({ version }) => [
  version,
  ...aliasesOf(version),
]);

/** Returns the version that a client means, or undefined if the name is unknown. */
export const resolveAuditVersion = (input: string): AuditVersion | undefined =>
  auditVersions.find(({ version }) => input === version || aliasesOf(version).includes(input))?.version;

/** Returns the row of a version. An uploaded report may be by another release of a supported major version. */
export const auditVersion = (version: AuditVersion) => {
  const row =
    auditVersions.find((each) => each.version === version) ??
    auditVersions.find((each) => majorOf(each.version) === majorOf(version));
  if (!row) throw new Error(`There is no audit version ${version}.`);
  return row;
};
