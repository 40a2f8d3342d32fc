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

/** The supported Lighthouse releases: the newest release of each major version, newest first. */
export const auditVersions = [
  { version: '13.5.0', package: 'lighthouse', ...since13, pwa: false, needsMeaningfulPaint: false },
  { version: '12.8.2', package: 'lighthouse-12', ...since10, pwa: false, needsMeaningfulPaint: false },
  { version: '11.7.1', package: 'lighthouse-11', ...since10, pwa: true, needsMeaningfulPaint: true },
  { version: '10.4.0', package: 'lighthouse-10', ...since10, pwa: true, needsMeaningfulPaint: true },
  { version: '9.6.8', package: 'lighthouse-9', ...upTo9, pwa: true, needsMeaningfulPaint: true },
] as const satisfies readonly Row[];

export type AuditVersion = (typeof auditVersions)[number]['version'];

export const majorOf = (version: string): string => version.slice(0, version.indexOf('.'));

/** Returns the names that a client may use besides the version: its major version, and `latest` for the newest. */
export const aliasesOf = (version: AuditVersion): string[] =>
  version === auditVersions[0].version ? ['latest', majorOf(version)] : [majorOf(version)];

/** All names of all versions. */
export const auditVersionNames: readonly string[] = auditVersions.flatMap(({ version }) => [
  version,
  ...aliasesOf(version),
]);

/** Returns the version that a client means, or undefined if the name is unknown. */
export const resolveAuditVersion = (input: string): AuditVersion | undefined =>
  auditVersions.find(({ version }) => input === version || aliasesOf(version).includes(input))?.version;

/** Returns the row of a supported version. */
export const auditVersion = (version: AuditVersion) => {
  const row = auditVersions.find((each) => each.version === version);
  if (!row) throw new Error(`There is no audit version ${version}.`);
  return row;
};
