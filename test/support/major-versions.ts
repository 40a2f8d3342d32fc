import { auditVersions, isNewestOfMajor } from '../../shared/audit-versions.ts';

/** The rows of the newest release of each major version. Recordings are of these. */
export const majorVersions = auditVersions.filter(({ version }) => isNewestOfMajor(version));
