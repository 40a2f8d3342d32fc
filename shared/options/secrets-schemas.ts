import { z } from 'zod';
import { MAX_TYPED_LENGTH } from '../interactions/interactions.ts';
import { chosenNames } from './chosen-names.ts';
import {
  cookieForms,
  isForbiddenHeader,
  isHeaderName,
  MAX_COOKIES,
  MAX_HEADERS,
  MAX_SECRET_TEXTS,
  MAX_VALUE_DEPTH,
  MIN_SECRET_LENGTH,
  type NamedSecrets,
  type SecretName,
  type Secrets,
  textName,
  textWithout,
} from './secrets.ts';

/** Text without control characters, such as line breaks. */
const text = z.string().regex(textWithout(''));

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

const BasicAuth = z.strictObject({ username: z.string().min(1).regex(textWithout(':')), password: text }).meta({
  id: 'BasicAuth',
  description: 'Credentials for the origin of `url`, and for no other origin. Answers have `true` in their place.',
});

const Cookie = z
  .strictObject({
    name: z.string().regex(cookieForms.name),
    value: z.string().regex(cookieForms.value),
    domain: z.string().regex(cookieForms.domain).max(255),
    path: z.string().regex(cookieForms.path).optional(),
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

const keyPaths = { keyPath: z.string().optional(), keyPathArray: z.array(z.string()).optional() };
/** A value of IndexedDB. The depth has a limit, because `JSON.stringify` would overflow the stack. */
const stored = z.unknown().refine((value) => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_VALUE_DEPTH) return false;
    level = level.filter((each) => typeof each === 'object' && each !== null).flatMap(Object.values);
  }
  return true;
});
const isAddressable = ({ keyPath, keyPathArray, autoIncrement, records }: z.infer<typeof ObjectStore>) =>
  (keyPath ?? keyPathArray) !== undefined ||
  autoIncrement ||
  records.every(({ key, keyEncoded }) => (key ?? keyEncoded) !== undefined);
const ObjectStore = z.strictObject({
  name: z.string(),
  autoIncrement: z.boolean(),
  ...keyPaths,
  records: z.array(
    z.strictObject({
      key: stored.optional(),
      keyEncoded: stored.optional(),
      value: stored.optional(),
      valueEncoded: stored.optional(),
    }),
  ),
  indexes: z.array(z.strictObject({ name: z.string(), ...keyPaths, multiEntry: z.boolean(), unique: z.boolean() })),
});
const IndexedDatabase = z
  .strictObject({
    name: z.string(),
    version: z.int().positive(),
    stores: z.array(ObjectStore.refine(isAddressable)),
  })
  .meta({
    id: 'IndexedDatabase',
    description: 'A database of IndexedDB, as Playwright writes it with `indexedDB: true`.',
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
        indexedDB: z.array(IndexedDatabase).optional(),
      }),
    ),
  })
  .meta({
    id: 'StorageState',
    description:
      "The file that Playwright's `context.storageState()` writes, with `sessionStorage` as an addition. Only hosts within the registrable domain of `url`. Answers repeat the names of the cookies and the origins.",
  });

const SecretTexts = chosenNames(
  z.string().regex(textName),
  text
    .min(MIN_SECRET_LENGTH)
    .max(MAX_TYPED_LENGTH)
    .refine((value) => value.isWellFormed()),
  { max: MAX_SECRET_TEXTS },
).meta({
  id: 'SecretTexts',
  description:
    'Texts that steps of interactions type as `{ "secret": name }`, into pages of the site of `url` only. Answers repeat their names only.',
  maxProperties: MAX_SECRET_TEXTS,
});

/** The secrets that a create accepts. */
export const sentSecrets = {
  headers: Headers,
  basicAuth: BasicAuth,
  cookies: Cookies,
  storageState: StorageState,
  secretTexts: SecretTexts,
} satisfies Record<SecretName, z.ZodType>;

const names = z.array(z.string());
/** The names of the secrets, as a check has them. */
export const namedSecrets = {
  headers: names.describe('Names of the headers that were sent, in lower case.'),
  basicAuth: z.literal(true).describe('The check was created with credentials.'),
  cookies: names.describe('Names of the cookies that were sent.'),
  storageState: z.object({ cookies: names, origins: names }).describe('Names of the cookies, and the origins.'),
  secretTexts: names.describe('Names of the secret texts that were sent.'),
} satisfies Record<SecretName, z.ZodType>;

export const NamedSecretsView = z.object(namedSecrets).partial() satisfies z.ZodType<NamedSecrets>;

/** The secrets of a check as they are stored. */
export const StoredSecrets = z.object(sentSecrets).partial() satisfies z.ZodType<Secrets>;
