import { setTimeout as sleep } from 'node:timers/promises';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { CorsEnv, ReadEnv, StoreEnv } from '../../../shared/service/env.ts';
import { keyParts } from '../../../shared/service/key-text.ts';
import {
  ANONYMOUS,
  type ApiKey,
  keyState,
  type OwnerCaller,
  type ReaderCaller,
  type Scope,
} from '../../../shared/service/keys.ts';
import type { RouteRules } from '../../../shared/service/routes.ts';
import { log } from '../log.ts';
import { once } from '../once.ts';
import { openDb } from '../store/dynamodb.ts';
import { isSecretOf, type KeyStore, keyStore } from '../store/keys.ts';
import { isLoopbackHost, targetOf } from '../targets/public-addresses.ts';
import type { Sender } from './request-log.ts';

type Headers = Record<string, string | undefined>;
/** Returns who sent a request, or throws the problem to answer with. `reader` is the sender as its share token says. */
export type Access<By> = (rules: RouteRules, headers: Headers, reader?: ReaderCaller) => Promise<By>;

/**
 * Authorizes requests whose API key has the scope of their route. With `AUTH=open`, allows every local request, all as
 * one owner. A share token replaces the key on routes that allow it. The lookup of the check judges the token
 * (shared-check.ts). Reads the environment at the first request whose route is not public.
 */
export const access = (env: () => ReadEnv): Access<Sender> => {
  const authorize = once(() => (env().AUTH === 'open' ? localAccess(env()) : keyAccess(env())));
  return async ({ scope, shared, lighthouseCi }, sent, reader) => {
    if (scope === 'public') return {};
    const headers = lighthouseCi ? withLighthouseCiKey(sent) : sent;
    if (shared && reader && env().AUTH === 'keys') return reader;
    const owner = await authorize()(headers, scope); // without keys, a reader must be on this machine too
    return (shared && reader) || owner;
  };
};

/** Returns the headers with the key that a client of Lighthouse CI's server has sent: its build token, or its password. */
const withLighthouseCiKey = (headers: Headers): Headers => {
  const { authorization, 'x-lhci-build-token': token } = headers;
  if (authorization !== undefined && !isBasic.test(authorization)) return headers;
  const key = token || passwordOf(authorization);
  return key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` };
};

const isBasic = /^Basic +/i;

const passwordOf = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined) return undefined;
  const [, password] = Buffer.from(authorization.replace(isBasic, ''), 'base64').toString().split(':');
  return password;
};

type Authorize = (headers: Headers, scope: Scope) => Promise<OwnerCaller>;

const localAccess =
  ({ CORS_ORIGINS }: CorsEnv): Authorize =>
  async (headers, scope) =>
    localCaller(headers, scope, CORS_ORIGINS);

const keyAccess = (env: StoreEnv): Authorize => {
  const keys = keyring({ store: keyStore(openDb(env)) });
  return ({ authorization }, scope) => keys(authorization, scope);
};

/** Headers that proxies add. A request of a client on this machine has none. */
const proxyHeader = /^(forwarded|x-forwarded-.+|x-real-ip|via)$/;

/**
 * Authorizes a request without a key: the caller must be on this machine. Two checks keep out web pages that its user
 * opens. A loopback `Host` stops DNS rebinding. The `Origin` or `Sec-Fetch-Site` stops forms, images and links of another
 * site's page. A proxy may
 * rewrite both, so its headers are refused: behind a public name, the service would be open to the world.
 */
const localCaller = (headers: Headers, scope: Scope, corsOrigins: readonly string[]): OwnerCaller => {
  const { host, origin, 'sec-fetch-site': site = 'none' } = headers;
  const forwarded = Object.keys(headers).find((name) => proxyHeader.test(name));
  if (forwarded !== undefined) {
    throw new ApiProblemError(
      'forbidden',
      `A proxy has forwarded this request: it has the header ${forwarded}. Without API keys, the service accepts no such request. Start it with AUTH=keys.`,
    );
  }
  if (headers['webhook-id'] !== undefined)
    throw new ApiProblemError(
      'forbidden',
      'This request is a delivery to a webhook. A webhook must not call a page audit service.',
    );
  const url = URL.parse(`http://${host ?? 'localhost'}`);
  if (!url || !isLoopbackHost(targetOf(url).host)) {
    throw new ApiProblemError(
      'forbidden',
      'Without API keys, the service accepts local requests only. Send this request to localhost or 127.0.0.1.',
    );
  }
  const isOwn =
    origin === undefined
      ? ['none', 'same-origin'].includes(site) // an image or a link of another site has no Origin
      : corsOrigins.includes(origin) || URL.parse(origin)?.host === url.host;
  if (scope !== 'checks:read' && !isOwn) {
    throw new ApiProblemError(
      'forbidden',
      'Without API keys, a page may change data only from the origin of the service or one in CORS_ORIGINS.',
    );
  }
  return { owner: ANONYMOUS };
};

/** Time that a key stays cached, in milliseconds. A revocation takes effect after that time at the latest. */
const CACHE_MS = 60_000;
const MAX_CACHED_KEYS = 10_000;
/** Time that a request waits until the use of its key is recorded, in milliseconds. */
const MAX_RECORDING_MS = 500;

type Cached = { key: Promise<ApiKey | undefined>; readAt: number; touched: boolean };
type Deps = { store: Pick<KeyStore, 'find' | 'touch'>; now?: () => Date };

/** Returns a function that authorizes by key. It reads a key, and records its last use, at most once a minute. */
export const keyring = ({ store, now = () => new Date() }: Deps) => {
  const cache = new Map<string, Cached>();

  const read = (prefix: string): Cached => {
    const cached = cache.get(prefix);
    const readAt = now().getTime();
    const age = readAt - (cached?.readAt ?? 0); // negative if the clock was set back since
    if (cached && age >= 0 && age < CACHE_MS) return cached;
    const entry = { key: store.find(prefix), readAt, touched: false };
    if (cache.size >= MAX_CACHED_KEYS) cache.clear();
    cache.set(prefix, entry);
    const forget = () => cache.get(prefix) === entry && cache.delete(prefix);
    entry.key.then((key) => key ?? forget(), forget); // caches no absence: a new key works at once
    return entry;
  };

  return async (authorization: string | undefined, scope: Scope): Promise<OwnerCaller> => {
    if (authorization === undefined)
      throw unauthorized('This request needs an API key. Send it as a bearer token in the Authorization header.');
    const [, token = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
    const parts = keyParts(token);
    if (!parts) throw invalid('The Authorization header must be Bearer, a space and a complete API key.');
    const cached = read(parts.prefix);
    const key = await cached.key;
    if (!key || !isSecretOf(key, parts.secret)) throw invalid('The API key is unknown. Check that it is complete.');
    const state = keyState(key, now());
    if (state !== 'active') throw invalid(`The API key is ${state}. Use an active key.`);
    if (!key.scopes.includes(scope)) throw forbidden(key, scope);
    if (!cached.touched) {
      cached.touched = true;
      await recordUse(store, key.prefix, now());
    }
    return { owner: key.owner, plan: key.plan };
  };
};

/** Records the last use of a key before the request goes on, because Lambda freezes the process after the answer. */
const recordUse = async (store: Deps['store'], prefix: string, now: Date): Promise<void> => {
  const recorded = store
    .touch(prefix, now)
    .catch((error) => log.warn('Could not record the use of the key.', { prefix, error }));
  await Promise.race([recorded, sleep(MAX_RECORDING_MS, undefined, { ref: false })]);
};

/** RFC 6750: without a key the challenge names the scheme only. With a bad key it also carries an error code. */
const unauthorized = (detail: string, more = '') =>
  new ApiProblemError('unauthorized', detail, { headers: { 'www-authenticate': `${CHALLENGE}${more}` } });
const invalid = (detail: string) => unauthorized(detail, `, error="invalid_token", error_description="${detail}"`);
const forbidden = ({ scopes }: ApiKey, scope: Scope) =>
  new ApiProblemError(
    'forbidden',
    `This request needs an API key with the scope ${scope}. The scopes of this key are: ${scopes.join(', ')}.`,
    {
      headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
    },
  );

const CHALLENGE = 'Bearer realm="page-audit"';
