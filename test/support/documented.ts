import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'vitest';
import { type Route, routes } from '../../shared/service/routes.ts';
import { pathParameters } from '../../shared/service/share-routes.ts';

type Documented = {
  $ref?: string;
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, { schema: unknown }>;
};
type Paths = Record<string, Record<string, { responses: Record<string, Documented> }>>;

/** Returns a copy in which answers may have no field that the document lacks. Parts of an `allOf` stay open. */
const strict = (value: unknown, isPart = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => strict(each));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'allOf' ? (each as unknown[]).map((part) => strict(part, true)) : strict(each),
    ]),
  );
  const closed = !isPart && copy.type === 'object' && copy.properties && copy.additionalProperties === undefined;
  return closed ? { ...copy, additionalProperties: false } : copy;
};

const readDocument = async () => {
  const { openApiDocument } = await import('../../shared/openapi/document.ts');
  const document = openApiDocument();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(strict(document) as object, 'openapi');
  return { document, ajv };
};
// The files of a worker share the document and its compiled schemas, which take a second of CPU time.
const worker = globalThis as { documented?: ReturnType<typeof readDocument> };
worker.documented ??= readDocument();
const { document, ajv } = await worker.documented;
const paths = document.paths as unknown as Paths;

/** Returns the documented answer, and the JSON pointer to it. */
const answerOf = ({ method, path }: Route, status: number) => {
  const operation = paths[path]?.[method.toLowerCase()];
  const answer = operation?.responses[status];
  const name = answer?.$ref?.split('/').at(-1);
  if (name === undefined) return { answer, pointer: ['paths', path, method.toLowerCase(), 'responses', `${status}`] };
  const shared = document.components?.responses?.[name] as Documented | undefined;
  return { answer: shared, pointer: ['components', 'responses', name] };
};

const pointerPart = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Expects that a response is as the OpenAPI document says: status, headers, media type and body. */
export const expectDocumented = async (method: string, path: string, response: Response): Promise<void> => {
  const asked = method === 'HEAD' ? 'GET' : method;
  const route = routes.find((each) => each.method === asked && pathParameters(each, path));
  if (!route) return; // there is nothing to document
  const { answer, pointer } = answerOf(route, response.status);
  const name = `${route.method} ${route.path} ${response.status}`;
  expect(answer, `${name} is documented`).toBeDefined();
  const required = Object.entries(answer?.headers ?? {}).filter(([, header]) => header.required);
  expect([name, ...required.map(([header]) => header).filter((header) => !response.headers.has(header))]).toEqual([
    name,
  ]);
  const type = response.headers.get('content-type')?.split(';')[0];
  if (type === undefined) return expect(answer?.content, `${name} has no body`).toBeUndefined();
  expect(Object.keys(answer?.content ?? {}), name).toContain(type);
  if (method === 'HEAD' || !/[/+]json$/.test(type)) return;
  const ref = `openapi#/${[...pointer, 'content', type, 'schema'].map(pointerPart).join('/')}`;
  const validate = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref });
  validate(await response.clone().json());
  expect([name, validate.errors ?? []]).toEqual([name, []]);
};

/** Fetches from the API, and expects that the answer is documented. */
export const fetchDocumented = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(url, init);
  await expectDocumented(init.method ?? 'GET', new URL(response.redirected ? response.url : url).pathname, response);
  return response;
};
