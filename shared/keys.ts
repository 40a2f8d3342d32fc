import { z } from 'zod';
import { PlanName } from './plans.ts';

/** What a key may be allowed to do. */
export const Scope = z.enum(['checks:read', 'checks:write']);
export type Scope = z.infer<typeof Scope>;

/** Whose a check is. A name that an operator gives; in queues it tells one owner's jobs from another's. */
export const Owner = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an owner has up to 64 of a to z, 0 to 9, dot, hyphen and underscore');

/** The owner of every check that is made while no keys are asked for. */
export const ANONYMOUS = 'anonymous';

/** Who sent a request. Without a plan no limits apply. */
export type Caller = { owner: string; plan?: PlanName };

/** The partition of the table that keys are kept in: rights tell it from the others. */
export const KEYS = 'KEYS';

/** What is kept of an API key: of its secret, a hash. `prefix` is the part of the key that it is found by. */
export const ApiKey = z.object({
  prefix: z.string(),
  owner: Owner,
  name: z.string().min(1).max(100),
  hash: z.string(), // SHA-256 of the secret, in hex: with 256 random bits nothing slower is needed
  scopes: z.array(Scope).min(1),
  plan: PlanName,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** A key as its owner holds it: a form that scanners for secrets can know, `pas_<prefix>_<secret>`. */
export const keyText = (prefix: string, secret: string): string => `pas_${prefix}_${secret}`;

/** The parts of a key, or undefined where the text has not the form of one. */
export const keyParts = (text: string): { prefix: string; secret: string } | undefined => {
  const [, prefix, secret] = /^pas_([0-9a-f]{12})_([0-9a-f]{64})$/.exec(text) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
};

export type KeyState = 'active' | 'expired' | 'revoked';

export const keyState = ({ revokedAt, expiresAt }: ApiKey, now: Date): KeyState => {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';
};
