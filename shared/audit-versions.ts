import { z } from 'zod';

/**
 * The supported Lighthouse releases, newest first: the newest release of each major, and the package it is installed as.
 * `pwa` is a category of the majors up to 11 only.
 */
export const auditVersions = [
  { version: '13.5.0', package: 'lighthouse', pwa: false },
  { version: '12.8.2', package: 'lighthouse-12', pwa: false },
  { version: '11.7.1', package: 'lighthouse-11', pwa: true },
  { version: '10.4.0', package: 'lighthouse-10', pwa: true },
  { version: '9.6.8', package: 'lighthouse-9', pwa: true },
] as const;

export type AuditVersion = (typeof auditVersions)[number]['version'];
export const AuditVersion = z.enum(auditVersions.map((row) => row.version));

export const majorOf = (version: string): string => version.slice(0, version.indexOf('.'));

/** What a client may write for each version: itself, its major, and `latest` for the newest. */
export const aliasesOf = (version: AuditVersion): string[] =>
  version === auditVersions[0].version ? ['latest', majorOf(version)] : [majorOf(version)];

/** The exact version behind what a client wrote, or undefined where none is meant. */
export const resolveAuditVersion = (asked: string): AuditVersion | undefined =>
  auditVersions.find(({ version }) => asked === version || aliasesOf(version).includes(asked))?.version;

/** The row of a supported version. */
export const auditVersion = (version: AuditVersion) => {
  const row = auditVersions.find((each) => each.version === version);
  if (!row) throw new Error(`no such audit version: ${version}`);
  return row;
};
