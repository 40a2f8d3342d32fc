import type { CreateCheckBody } from '../../../shared/check.ts';
import {
  belongsTo,
  type Cookie,
  hostOfCookie,
  isHeaderName,
  MAX_SECRET_BYTES,
  type SecretName,
  type Secrets,
  secretNames,
  textName,
} from '../../../shared/options/secrets.ts';
import { pick } from '../../../shared/pick.ts';
import type { InputError } from '../../../shared/problems.ts';
import { registrableDomain } from '../targets/registrable-domain.ts';

const cookieFields = ['name', 'value', 'domain', 'path', 'secure', 'httpOnly', 'sameSite', 'expires'] as const;
const cleanCookie = (cookie: Cookie): Cookie => pick(cookie, cookieFields);

/** Returns the secrets of a body, or undefined if it has none. Leaves out what Playwright writes beside them. */
export const secretsOf = (body: Partial<CreateCheckBody>): Secrets | undefined => {
  const sent: Secrets = pick(body, secretNames);
  if (Object.keys(sent).length === 0) return undefined;
  const { cookies, storageState } = sent;
  return {
    ...pick(sent, ['headers', 'basicAuth', 'secretTexts']),
    ...(cookies && { cookies: cookies.map(cleanCookie) }),
    ...(storageState && {
      storageState: {
        cookies: storageState.cookies.map(cleanCookie),
        origins: storageState.origins.map((each) =>
          pick(each, ['origin', 'localStorage', 'sessionStorage', 'indexedDB']),
        ),
      },
    }),
  };
};

/** Returns an error that does not name a wrong name that the client chose, because it may have sent a value in its place. */
export const withoutValue = (error: InputError): InputError => {
  const [, field = '', name = ''] = /^(headers|secretTexts)\.(.*)$/s.exec(error.path) ?? [];
  const isName = field === 'headers' ? isHeaderName(name) : textName.test(name);
  return field && !isName ? { ...error, path: field } : error;
};

/**
 * Judges the secrets that have the right types. An error names a path, a domain or an origin, and never a value. `url` is
 * the valid URL of the check, if it has one.
 */
export const secretErrors = (sent: Secrets, url: string | undefined): InputError[] => {
  const { headers = {}, basicAuth } = sent;
  const first = secretNames.find((name) => sent[name]);
  const bytes = Buffer.byteLength(JSON.stringify(pick(sent, secretNames)));
  const authorizes = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return [
    ...(first && bytes > MAX_SECRET_BYTES ? [tooLarge(first, bytes)] : []),
    ...(basicAuth && authorizes ? [authorizedTwice] : []),
    ...(url === undefined ? [] : foreignErrors(sent, new URL(url).hostname)),
  ];
};

const tooLarge = (path: SecretName, bytes: number): InputError => ({
  path,
  message: `The headers, the basicAuth, the cookies, the storageState and the secretTexts must have at most ${MAX_SECRET_BYTES} bytes together. These have ${bytes}. Send those that the page needs.`,
});

const authorizedTwice: InputError = {
  path: 'basicAuth',
  message: 'The headers must have no Authorization header beside a basicAuth. Send one of them.',
};

const foreignErrors = ({ cookies = [], storageState }: Secrets, pageHost: string): InputError[] => {
  const accepted = registrableDomain(pageHost) ?? pageHost;
  const isForeign = (host: string) => !belongsTo(pageHost, host, registrableDomain);
  const ofCookies = (list: readonly Cookie[], path: string) =>
    list.flatMap((cookie, i) =>
      isForeign(hostOfCookie(cookie))
        ? [{ path: `${path}.${i}.domain`, message: foreign('domain', cookie.domain, accepted) }]
        : [],
    );
  const { cookies: stored = [], origins = [] } = storageState ?? {};
  return [
    ...ofCookies(cookies, 'cookies'),
    ...ofCookies(stored, 'storageState.cookies'),
    ...origins.flatMap(({ origin }, i) =>
      isForeign(new URL(origin).hostname)
        ? [{ path: `storageState.origins.${i}.origin`, message: foreign('origin', origin, accepted) }]
        : [],
    ),
  ];
};

const foreign = (what: string, value: string, accepted: string): string =>
  `The ${what} ${value} must belong to ${accepted}, as the URL does. Leave this entry out.`;
