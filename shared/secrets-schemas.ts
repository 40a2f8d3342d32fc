import { z } from 'zod';
import { chosenNames } from './chosen-names.ts';
import {
  isForbiddenHeader,
  isHeaderName,
  MAX_COOKIES,
  MAX_HEADERS,
  type NamedSecrets,
  type SecretName,
  type Secrets,
} from './secrets.ts';

/** Text without control characters, such as line breaks. */
const text = z.string().regex(/^\P{Cc}*$/u);

const Headers = chosenNames(
  z.string().refine((name) => isHeaderName(name) && !isForbiddenHeader(name)),
  z.string().regex(/^[\x20-\x7e]*$/),
  { max: MAX_HEADERS },
)
  .refine((headers) => {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    return new Set(names).size === names.length;
  })
  .meta({
    id: 'SentHeaders',
    description:
      'Headers of each request to the origin of `url`, and to no other origin. Answers repeat their names only.',
    maxProperties: MAX_HEADERS,
  });

const BasicAuth = z.strictObject({ username: text.regex(/^[^:]+$/), password: text }).meta({
  id: 'BasicAuth',
  description: 'Credentials for the origin of `url`, and for no other origin. Answers have `true` in their place.',
});

const Cookie = z
  .strictObject({
    name: z.string().regex(/^[^\p{Cc};=]+$/u),
    value: z.string().regex(/^[^\p{Cc};]*$/u),
    domain: z
      .string()
      .regex(/^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/i)
      .max(255),
    path: z
      .string()
      .regex(/^\/[^\p{Cc};]*$/u)
      .optional(),
    secure: z.boolean().optional(),
    httpOnly: z.boolean().optional(),
    sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
    expires: z.number().min(-1).optional(),
    partitionKey: z.string().optional().describe('Accepted from files of Playwright, and ignored.'),
    _crHasCrossSiteAncestor: z.boolean().optional().describe('Accepted from files of Playwright, and ignored.'),
  })
  .meta({ id: 'Cookie', description: 'A cookie in the form of Playwright.' });

const Cookies = z.array(Cookie).max(MAX_COOKIES).meta({
  id: 'Cookies',
  description: 'Cookies of hosts within the registrable domain of `url`. Answers repeat their names only.',
});

const entries = z.array(z.strictObject({ name: z.string(), value: z.string() }));
const StorageState = z
  .strictObject({
    cookies: z.array(Cookie).max(MAX_COOKIES),
    origins: z.array(
      z.strictObject({
        origin: z.string().refine((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin),
        localStorage: entries,
        sessionStorage: entries.optional(),
        indexedDB: z.array(z.unknown()).max(0).optional().describe('Must be empty.'),
      }),
    ),
  })
  .meta({
    id: 'StorageState',
    description:
      "The file that Playwright's `context.storageState()` writes, with `sessionStorage` as an addition. Only hosts within the registrable domain of `url`. Answers repeat the names of the cookies and the origins.",
  });

/** The secrets that a create accepts. */
export const sentSecrets = {
  headers: Headers,
  basicAuth: BasicAuth,
  cookies: Cookies,
  storageState: StorageState,
} satisfies Record<SecretName, z.ZodType>;

const names = z.array(z.string());
/** The names of the secrets, as a check has them. */
export const namedSecrets = {
  headers: names.describe('Names of the headers that were sent, in lower case.'),
  basicAuth: z.literal(true).describe('The check was created with credentials.'),
  cookies: names.describe('Names of the cookies that were sent.'),
  storageState: z.object({ cookies: names, origins: names }).describe('Names of the cookies, and the origins.'),
} satisfies Record<SecretName, z.ZodType>;

export const NamedSecretsView = z.object(namedSecrets).partial() satisfies z.ZodType<NamedSecrets>;

/** The secrets of a check as they are stored. */
export const StoredSecrets = z.object(sentSecrets).partial() satisfies z.ZodType<Secrets>;
