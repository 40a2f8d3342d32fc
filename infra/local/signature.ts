import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A key of the embedded engines. The SDK's clients sign each request with its secret (AWS Signature Version 4). */
export type Credentials = { accessKeyId: string; secretAccessKey: string };

export const newCredentials = (): Credentials => ({
  accessKeyId: randomBytes(10).toString('hex'),
  secretAccessKey: randomBytes(32).toString('base64url'),
});

/** Difference of the clocks of client and engine that AWS accepts. */
const MAX_SKEW_MS = 15 * 60 * 1000;

type Signer = { service: string; credentials: Credentials };
/** The signature of a request, and what it says about itself. */
type Claim = { credential: string; date: string; signedHeaders: string; signature: string; bodyHash: string };

/** Returns true if the request has a header `Authorization` that our key has signed within the last minutes. */
export const isSigned = (request: IncomingMessage, signer: Signer): boolean => {
  const { authorization = '', 'x-amz-date': date, 'x-amz-content-sha256': bodyHash } = request.headers;
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(authorization) ?? [];
  const claim = { credential, date: String(date), signedHeaders, signature, bodyHash: String(bodyHash) };
  const age = Date.now() - timeOf(claim.date);
  return Math.abs(age) <= MAX_SKEW_MS && isOurs(request, claim, signer);
};

/** Returns true if the URL of the request is presigned by our key for reading one object, and has not expired. */
export const isPresigned = (request: IncomingMessage, signer: Signer): boolean => {
  if (request.method !== 'GET' || signer.service !== 's3') return false;
  const query = new URLSearchParams(queryOf(request));
  const value = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const claim = {
    credential: value('Credential'),
    date: value('Date'),
    signedHeaders: value('SignedHeaders'),
    signature: value('Signature'),
    bodyHash: 'UNSIGNED-PAYLOAD', // a GET has no body
  };
  const age = Date.now() - timeOf(claim.date);
  return age >= -MAX_SKEW_MS && age <= Number(value('Expires')) * 1000 && isOurs(request, claim, signer);
};

/**
 * Compares a signature with the one that our key makes for the request. The engine gets the request as it was signed,
 * because every header `X-Amz-…` must be signed. Nobody changes the body on the way, so its hash is not compared.
 */
const isOurs = (request: IncomingMessage, claim: Claim, { service, credentials }: Signer): boolean => {
  const [, accessKeyId = '', scope = '', forService] =
    /^([^/]+)\/(\d{8}\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request)$/.exec(claim.credential) ?? [];
  const signed = claim.signedHeaders.split(';');
  const isUnsigned = (name: string) => name.startsWith('x-amz-') && !signed.includes(name);
  if (forService !== service || Object.keys(request.headers).some(isUnsigned)) return false;
  const expected = signatureOf(credentials.secretAccessKey, scope, claim.date, canonicalForm(request, signed, claim));
  return equal(accessKeyId, credentials.accessKeyId) && equal(claim.signature, expected);
};

/** Returns the text whose hash is signed. Our clients send path and query in the canonical form. */
const canonicalForm = (request: IncomingMessage, signed: string[], { bodyHash }: Claim): string => {
  const query = queryOf(request)
    .split('&')
    .filter((part) => part !== '' && !part.startsWith('X-Amz-Signature='))
    .map((part) => (part.includes('=') ? part : `${part}=`))
    .sort((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1));
  const headers = signed.map(
    (name) =>
      `${name}:${String(request.headers[name])
        .trim()
        .replace(/[ \t]+/g, ' ')}`,
  );
  const path = String(request.url).split('?', 1)[0];
  return [request.method, path, query.join('&'), ...headers, '', signed.join(';'), bodyHash].join('\n');
};

const nameIn = (part: string): string => part.slice(0, part.indexOf('='));

const signatureOf = (secret: string, scope: string, date: string, canonical: string): string => {
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`;
  return createHmac('sha256', signingKey(secret, scope)).update(text).digest('hex');
};

/** Keys of the scopes in use. Without them, a twentieth of the time of a request would go into its key. */
const signingKeys = new Map<string, KeyObject>();
const MAX_SIGNING_KEYS = 50; // any sender can name scopes

const signingKey = (secret: string, scope: string): KeyObject => {
  const name = `${secret} ${scope}`;
  const known = signingKeys.get(name);
  if (known) return known;
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = createSecretKey(scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer);
  if (signingKeys.size >= MAX_SIGNING_KEYS) signingKeys.clear();
  signingKeys.set(name, key);
  return key;
};

const queryOf = ({ url = '' }: IncomingMessage): string => url.slice(url.indexOf('?') + 1 || url.length);

/** Returns the time of a date such as `20261126T083352Z`, or NaN. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Compares two texts in a time that does not depend on where they differ. */
const equal = (a: string, b: string): boolean => {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(first, second);
};
