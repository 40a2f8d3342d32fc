import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { keyOf, type RouteRules, routes } from '../service/routes.ts';
import { badgeOperations } from './badges.ts';
import { checkOperations } from './checks.ts';
import { markOperations } from './marks.ts';
import { type Operation, type Operations, problemResponses, responseOf } from './operation.ts';
import { pageSpeedOperations } from './page-speed.ts';
import { runOperations } from './runs.ts';
import { scheduleOperations } from './schedules.ts';
import { serviceOperations } from './service.ts';
import { uploadOperations } from './uploads.ts';
import { webhookOperations, webhookRequests } from './webhooks.ts';

const description = `Audits a web page with Lighthouse in real Chromium, from several regions at once.

Create a check, read it with \`Prefer: wait=25\` until its state is final, then read its runs and reports. HEAD works wherever GET does.
Every error is a problem document (RFC 9457). Answers may get more fields, so a client should ignore fields that it doesn't know.`;

/** The documentation of each route. */
export const operations: Operations = {
  ...checkOperations,
  ...runOperations,
  ...pageSpeedOperations,
  ...scheduleOperations,
  ...markOperations,
  ...badgeOperations,
  ...webhookOperations,
  ...uploadOperations,
  ...serviceOperations,
};

let document: ReturnType<typeof create> | undefined;

/** Returns the OpenAPI document of the API. Builds it on the first call. `url` is the address of the service, if it is known. */
export const openApiDocument = (url?: string) => {
  document ??= create();
  return url === undefined ? document : { ...document, servers: [{ url }] };
};

const create = () =>
  createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Page audit service',
        version: '1.0.0',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The host that serves this document.' }],
      tags: [
        { name: 'Checks', description: 'A check is one URL tested in one or more regions.' },
        { name: 'Runs', description: "A run is one region's audit of the URL of a check." },
        { name: 'Schedules', description: 'Checks that repeat.' },
        { name: 'Webhooks', description: 'URLs to which the service sends events about checks and pages.' },
        { name: 'Marks', description: 'Times of deploys and the like, which trends and events name.' },
        { name: 'Badges', description: 'Images that show one score of a page to anyone.' },
        { name: 'Uploads', description: 'Reports that were made elsewhere become checks.' },
        { name: 'Service', description: 'The offer and the state of this deployment.' },
      ],
      security: [{ key: [] }],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key. A service on one machine needs none, unless it runs with `AUTH=keys`.',
          },
          share: {
            type: 'apiKey',
            in: 'query',
            name: 'share',
            description: 'The token of a share link. It replaces the API key on reads of one check.',
          },
        },
      },
      paths: paths(),
      webhooks: webhookRequests,
    },
    {
      override: ({ jsonSchema, io }) => {
        // Answers may get more fields. Without this, generated clients would refuse them.
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        if (jsonSchema.format) delete jsonSchema.pattern; // zod adds a long pattern to each UUID and time
      },
    },
  );

const paths = (): ZodOpenApiPathsObject => {
  const all: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    const { method, path } = route;
    all[path] ??= {};
    all[path][method.toLowerCase()] = operationOf(path, route, operations[keyOf(route)]);
  }
  return all;
};

const operationOf = (path: string, rules: RouteRules, operation: Operation) => {
  const { tag, query, headers, body, answers, problems = [], error, ...texts } = operation;
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathParameters[name]]);
  const isPublic = rules.scope === 'public';
  return {
    ...texts,
    tags: [tag],
    security: isPublic ? [] : [{ key: [rules.scope] }, ...(rules.shared ? [{ share: [] }] : [])],
    requestParams: {
      ...(params.length > 0 && { path: z.object(Object.fromEntries(params)) }),
      ...(query && { query: z.object(inOrder(query, rules.query)) }),
      ...(headers && { header: headers }),
    },
    ...(body && {
      requestBody: {
        required: rules.body === 'required',
        content: { 'application/json': { schema: body.schema, example: body.example } },
      },
    }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
      ...problemResponses(
        [
          'invalid-request', // an unknown query parameter
          ...(isPublic ? [] : (['unauthorized', 'forbidden'] as const)),
          ...problems,
          'internal',
          'unavailable',
        ],
        error,
      ),
    },
  } as ZodOpenApiOperationObject;
};

/** Returns the parameters that the route accepts, in its order. */
const inOrder = (query: NonNullable<Operation['query']>, names: RouteRules['query'] = []) =>
  names === 'any' ? {} : Object.fromEntries(names.map((name) => [name, query[name] as z.ZodType]));

const pathParameters: Record<string, z.ZodType> = {
  checkId: z.uuid().describe('Id of the check.'),
  runId: z.uuid().describe('Id of the run.'),
  version: z.string().describe('Hash of the files of the page.'),
  file: z.string().describe('Name of the file.'),
  scheduleId: z.uuid().describe('Id of the schedule.'),
  projectId: z.uuid().describe('Id of the project of an owner.'),
  buildId: z.uuid().describe('Id of the build.'),
  badge: z.string().describe('Id of the badge. To show it, with `.svg` or `.json`.'),
  markId: z.uuid().describe('Id of the mark.'),
  webhookId: z.uuid().describe('Id of the webhook.'),
  deliveryId: z.uuid().describe('Id of the delivery.'),
  pair: z.string().describe('The ids of two checks, the earlier one first, joined by `...`.'),
};
