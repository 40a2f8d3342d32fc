import { createHash } from 'node:crypto';

/** Returns the pseudonym of an owner in logs: 12 hex digits. `npm run keys -- list` shows it beside each owner. */
export const ownerHash = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 12);
