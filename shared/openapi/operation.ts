import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type ApiProblemCode, apiProblems, Problem } from '../problems.ts';
import type { RouteKey, RouteOf } from '../service/routes.ts';

/** Documentation that is not in the row of the route. */
export type Operation = {
  operationId: string;
  tag: 'Checks' | 'Runs' | 'Schedules' | 'Webhooks' | 'Marks' | 'Badges' | 'Uploads' | 'Service';
  summary: string;
  description?: string;
  /** Schema of each query parameter of the route. */
  query?: Record<string, z.ZodType>;
  headers?: z.ZodObject;
  body?: { schema: z.ZodType; example: unknown };
  answers: Partial<Record<200 | 201 | 202 | 204 | 303 | 304 | 307, Answer>>;
  /** Problems besides those of every operation. */
  problems?: readonly ApiProblemCode[];
  /** Schema and example of an error, if errors are no problem documents. */
  error?: { schema: z.ZodType; example: unknown };
};

/** The documentation of a route. It has a schema for each query parameter of the route, and one for its body. */
type OperationOf<R> = Operation &
  (R extends { query: readonly (infer Name extends string)[] }
    ? { query: Record<Name, z.ZodType> }
    : { query?: undefined }) &
  (R extends { body: string } ? { body: object } : { body?: undefined });
export type Operations = { [Key in RouteKey]: OperationOf<RouteOf<Key>> };

/** A documented answer. A header whose name ends with `?` is not always present. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  example?: unknown;
  headers?: readonly HeaderName[];
  /** Media types besides JSON. */
  also?: readonly string[];
};

const headerTexts = {
  location: 'URL of the check, of the schedule, of the webhook, of its wait or of the report.',
  etag: 'Entity tag. Send it in `If-None-Match` to get a 304 while nothing has changed.',
  'retry-after': 'Seconds after which the client should send the request again.',
  link: 'URL of the next page, with `rel="next"` (RFC 8288).',
  'preference-applied': 'The wait that the service has applied (RFC 7240).',
  'www-authenticate': 'The scheme, and the fault of the key (RFC 6750).',
  ratelimit: 'The limit closest to exhaustion: audits left, and seconds until one more.',
  'ratelimit-policy': 'The limits of the plan, in audits.',
  allow: 'The methods of the path.',
  'next-cursor': 'With NDJSON: the cursor with which the next export goes on, also if this one is empty.',
  'run-count': 'With NDJSON: the number of lines.',
  'export-ended-by':
    'With NDJSON: `limit` if more runs can be read at once, `end` if not, or `unfinished-check` and the id of the check for which the export waits.',
} as const;
type Header = keyof typeof headerTexts;
export type HeaderName = Header | `${Header}?`;

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(
    names.map((name) => {
      const header = name.replace('?', '') as Header;
      const schema = { type: 'string' as const };
      return [header, { description: headerTexts[header], required: !name.endsWith('?'), schema }];
    }),
  );

const ifNoneMatch = z.string().optional().describe('Entity tags of answers that the client has.');
/** Request header of an answer with an `ETag`. */
export const conditional = z.object({ 'If-None-Match': ifNoneMatch });
export const notModified: Answer = { description: 'The client has the present answer.', headers: ['etag'] };
/** Request headers of an answer that a client may wait for, and the headers of the answer. */
export const waitable = conditional.extend({
  Prefer: z.string().optional().meta({
    description: '`wait=` and a number of seconds, at most 25 (RFC 7240).',
    example: 'wait=20',
  }),
});
export const waitedHeaders = ['etag', 'retry-after?', 'preference-applied?'] as const;
export const waitElsewhere: Answer = {
  description: 'The client has to wait. `Location` is the path that waits. It takes the same headers.',
  headers: ['location'],
};
const text = { type: 'string' as const };

export const responseOf = ({
  description,
  schema,
  example,
  headers = [],
  also = [],
}: Answer): ZodOpenApiResponseObject => ({
  description,
  ...(headers.length > 0 && { headers: headersOf(headers) }),
  ...((schema || also.length > 0) && {
    content: {
      ...(schema && { 'application/json': { schema, ...(example !== undefined && { example }) } }),
      ...Object.fromEntries(also.map((type) => [type, { schema: text }])),
    },
  }),
});

const problemHeaders: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['www-authenticate'],
  403: ['www-authenticate?'],
  409: ['retry-after'],
  429: ['retry-after', 'ratelimit?', 'ratelimit-policy?'],
  503: ['retry-after?'],
};

const problemAnswers = new Map<string, ZodOpenApiResponseObject>();

/** Returns the answer with one of these problems. Operations share one component. */
const problemResponse = (
  status: number,
  codes: readonly [ApiProblemCode, ...ApiProblemCode[]],
): ZodOpenApiResponseObject => {
  const id = codes.map((code) => code.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())).join('Or');
  const headers = problemHeaders[status];
  const schema = z.intersection(Problem, z.object({ code: z.enum(codes), status: z.literal(status) }));
  const answer = problemAnswers.get(id) ?? {
    id,
    description: codes.map((code) => `\`${code}\`: ${apiProblems[code].title}.`).join(' '),
    ...(headers && { headers: headersOf(headers) }),
    content: { 'application/problem+json': { schema, example: exampleOf(codes[0]) } },
  };
  problemAnswers.set(id, answer);
  return answer;
};

/** Returns the problem answers of an operation, one per status. Each names the codes that it may have. */
export const problemResponses = (
  codes: readonly ApiProblemCode[],
  error?: Operation['error'],
): Record<`${4 | 5}${string}`, ZodOpenApiResponseObject> => {
  const statuses = new Set(codes.map((code) => apiProblems[code].status));
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const own = codes.filter((code) => apiProblems[code].status === status);
      const response = problemResponse(status, own as [ApiProblemCode, ...ApiProblemCode[]]);
      return [status, error ? { ...response, id: undefined, content: { 'application/json': error } } : response];
    }),
  );
};

const exampleOf = (code: ApiProblemCode) => ({
  type: `urn:page-audit:problem:${code}`,
  title: apiProblems[code].title,
  status: apiProblems[code].status,
  detail: 'A sentence with the cause, and with the input that would be accepted.',
  code,
  requestId: '213f9fb6-e249-4a79-96ac-9069e55cf449',
});
