import { z } from 'zod';
import { planNames } from './plans.ts';

/** Right that a key may have. */
export const Scope = z.enum(['checks:read', 'checks:write', 'webhooks:write', 'schedules:write']);
export type Scope = z.infer<typeof Scope>;

export const PlanName = z.enum(planNames);
export type PlanName = z.infer<typeof PlanName>;

/** Name of an owner of checks, chosen by an operator. */
export const Owner = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an owner has up to 64 characters: a to z, 0 to 9, dot, hyphen and underscore');

/** Owner of all checks while the service needs no keys. */
export const ANONYMOUS = 'anonymous';

/** Sender of a request who acts as an owner. Without a plan, no limits apply. */
export type OwnerCaller = { owner: string; plan?: PlanName };
/** Sender of a request who may read one check if the share token is genuine. `reader` is the id of the check. */
export type ReaderCaller = { reader: string; token: string };
export type Caller = OwnerCaller | ReaderCaller;

/** Stored form of an API key. `prefix` identifies the key. Of its secret, only a hash is stored. */
export const ApiKey = z.object({
  prefix: z.string(),
  owner: Owner,
  name: z.string().min(1).max(100),
  hash: z.string(), // SHA-256 of the secret, in hex. 256 random bits need no slow hash.
  scopes: z.array(Scope).min(1),
  plan: PlanName,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Owner of the checks of the canary. Their runs emit no metrics, because the canary judges them itself. */
export const CANARY_OWNER = 'canary';
/** Prefix of the key with which the canary calls the API. A random prefix is hardly ever the same. */
export const CANARY_PREFIX = '00000000ca11';

export type KeyState = 'active' | 'expired' | 'revoked';

export const keyState = ({ revokedAt, expiresAt }: ApiKey, now: Date): KeyState => {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';
};
