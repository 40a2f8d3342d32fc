/** Version of the service, as in package.json. A test compares the two. */
export const SERVICE_VERSION = '0.1.0';

/** Revision of the audit's own part. Raise it if a change of it moves the numbers of an unchanged page. */
export const AUDIT_REVISION = 3;
