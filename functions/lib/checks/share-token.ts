import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * A share token is `pas_share_` and 48 characters of base64url: the time of its expiry in seconds (4 bytes) and an
 * HMAC-SHA256 (32 bytes) over the id of the check and that time. Logs and answers mask texts that begin with `pas_`
 * (redact.ts).
 */
const PREFIX = 'pas_share_';
const EXPIRY_BYTES = 4;

/** Returns the token that shows a check until `expiresAt`, in seconds. */
export const shareToken = (secret: string, checkId: string, expiresAt: number): string => {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(expiresAt);
  return PREFIX + Buffer.concat([expiry, signatureOf(secret, checkId, expiresAt)]).toString('base64url');
};

/** Returns true if a text has the form of a token. */
export const isShareToken = (text: string): boolean => /^pas_share_[\w-]{48}$/.test(text);

/** Returns the expiry of a token in seconds, or undefined if the token was not made for this check with this secret. */
export const expiryOf = (token: string, secret: string, checkId: string): number | undefined => {
  if (!isShareToken(token)) return undefined;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  const expiresAt = bytes.readUInt32BE();
  const signature = bytes.subarray(EXPIRY_BYTES);
  return timingSafeEqual(signature, signatureOf(secret, checkId, expiresAt)) ? expiresAt : undefined;
};

const signatureOf = (secret: string, checkId: string, expiresAt: number): Buffer =>
  createHmac('sha256', Buffer.from(secret, 'base64url'))
    .update(`page-audit share link\n${checkId}\n${expiresAt}`) // the text separates it from other uses of the secret
    .digest();
