import { SECRET_DAYS } from '../options/secrets.ts';

/**
 * Folders of the bucket whose objects are secret, by the name of the rights to them in functions.ts. The bucket deletes an
 * object after `days`, because no check is open for longer. The service deletes the secrets of a schedule with the schedule.
 */
export const secretFolders = {
  secrets: { prefix: 'secrets/', days: SECRET_DAYS },
  scheduleSecrets: { prefix: 'schedule-secrets/', days: undefined },
  fingerprintKey: { prefix: 'keys/', days: undefined },
  cruxKey: { prefix: 'crux/', days: undefined },
} as const;

/** Returns true if the object with this key is secret: its bytes must not outlive it on a disk. */
export const isSecretKey = (key: string): boolean =>
  Object.values(secretFolders).some(({ prefix }) => key.startsWith(prefix));

/** Returns the beginning of the keys of all secrets of a check. */
export const secretsOf = (checkId: string): string => `${secretFolders.secrets.prefix}${checkId}/`;

/** Key of the object with the key of the Chrome UX Report API, which an operator stores. */
export const CRUX_KEY = `${secretFolders.cruxKey.prefix}api-key`;

/** Key of the object with which the service compares the secrets of repeated creates. */
export const FINGERPRINT_KEY = `${secretFolders.fingerprintKey.prefix}fingerprints-of-secrets`;
