import { z } from 'zod';
import { places, regions } from '../regions.ts';
import { type Browser, LimitList, Readiness, RegionList, VersionList } from '../service/offer.ts';
import { plans } from '../service/plans.ts';
import { conditional, notModified, type Operation, type Operations } from './operation.ts';

const service = { tag: 'Service' } as const;

/** Returns the documentation of an address of the web page. */
const webPage = (operationId: string, summary: string): Omit<Operation, 'query' | 'body'> => ({
  ...service,
  operationId,
  summary,
  headers: conditional,
  answers: {
    200: { description: 'The web page, which reads the API.', headers: ['etag'], also: ['text/html'] },
    304: notModified,
  },
});

const AgentMessage = z
  .looseObject({ jsonrpc: z.string().describe('`2.0`.') })
  .meta({ id: 'AgentMessage', description: 'A message of JSON-RPC 2.0, as the Model Context Protocol describes it.' });

const aBrowser: Browser = { version: '156.0.8078.108', source: 'installed', releasedOn: '2026-10-21', ageDays: 37 };
const aRegion = {
  id: 'us-west1' as const,
  awsRegion: regions['us-west1'],
  place: places['us-west1'],
  available: true,
  pausedAt: null,
  lastSuccessAt: '2026-11-21T09:30:00.000Z',
};

/** The documentation of the routes that describe the service. */
export const serviceOperations = {
  'POST /mcp': {
    ...service,
    operationId: 'callAgentTools',
    summary: 'Use the tools for agents',
    description:
      'A server of the Model Context Protocol over Streamable HTTP, without sessions. Each request is one JSON-RPC message, and each answer is JSON and comes within 25 seconds. Send `Accept: application/json, text/event-stream`.',
    body: { schema: AgentMessage, example: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    answers: {
      200: {
        description: 'The answer to a request.',
        schema: AgentMessage,
        example: { jsonrpc: '2.0', id: 1, result: { tools: [] } },
      },
      202: { description: 'The message was a notification, which has no answer.' },
    },
    problems: ['payload-too-large', 'unsupported-media-type'],
  },
  'GET /v1/audit/versions': {
    ...service,
    operationId: 'listAuditVersions',
    summary: 'List the versions of Lighthouse, with their categories and metrics',
    answers: {
      200: {
        description: 'The versions, newest first.',
        schema: VersionList,
        example: { versions: [{ version: '12.8.2', aliases: ['12'], categories: ['seo'], metrics: ['lcp'] }] },
      },
    },
  },
  'GET /v1/regions': {
    ...service,
    operationId: 'listRegions',
    summary: 'List the regions of this deployment',
    answers: {
      200: {
        description: 'The regions.',
        schema: RegionList,
        example: { regions: [aRegion] },
      },
    },
  },
  'GET /v1/limits': {
    ...service,
    operationId: 'getLimits',
    summary: 'Read the limits of checks and plans',
    answers: {
      200: {
        description: 'The limits.',
        schema: LimitList,
        example: {
          maxBodyBytes: 131072,
          maxUrlLength: 2048,
          maxSamples: 15,
          ports: [80, 443],
          allowedTargets: ['*.test'],
          chromium: aBrowser,
          retentionDays: 90,
          trendDays: 400,
          plans,
        },
      },
    },
  },
  'GET /v1/openapi.json': {
    ...service,
    operationId: 'getOpenApi',
    summary: 'Read this document',
    headers: conditional,
    answers: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        schema: z.looseObject({ openapi: z.string() }),
        example: { openapi: '3.1.1' },
        headers: ['etag'],
      },
      304: notModified,
    },
  },
  'GET /sample': {
    ...service,
    operationId: 'getSamplePage',
    summary: 'Read a small page for trying the service',
    answers: { 200: { description: 'A page whose scores are known.', also: ['text/html'] } },
  },
  'GET /docs': {
    ...service,
    operationId: 'getDocs',
    summary: 'Read this document as a web page',
    headers: conditional,
    answers: { 200: { description: 'Swagger UI.', headers: ['etag'], also: ['text/html'] }, 304: notModified },
  },
  'GET /docs/{version}/{file}': {
    ...service,
    operationId: 'getDocsFile',
    summary: 'Read a file of that web page',
    headers: conditional,
    answers: {
      200: { description: 'The file.', headers: ['etag'], also: ['text/css', 'text/javascript', 'image/png'] },
      304: notModified,
    },
    problems: ['not-found'],
  },
  'GET /': webPage('getHomePage', 'Open the web page: new check and recent checks'),
  'GET /checks/{checkId}': webPage('getCheckPage', 'Open a check in the web page'),
  'GET /checks/{checkId}/runs/{runId}': webPage('getRunPage', 'Open a run in the web page'),
  'GET /pages': webPage('getTrendPage', 'Open the results of a URL over time in the web page'),
  'GET /schedules': webPage('getSchedulesPage', 'Open the schedules in the web page'),
  'GET /webhooks': webPage('getWebhooksPage', 'Open the webhooks in the web page'),
  'GET /comparisons/{pair}': webPage('getComparisonPage', 'Open the comparison of two checks in the web page'),
  'GET /assets/{version}/{file}': {
    ...service,
    operationId: 'getWebPageFile',
    summary: 'Read a file of the web page',
    headers: conditional,
    answers: {
      200: {
        description: 'The file.',
        headers: ['etag'],
        also: ['text/css', 'text/javascript', 'text/html', 'image/svg+xml'],
      },
      304: notModified,
    },
    problems: ['not-found'],
  },
  'GET /health': {
    ...service,
    operationId: 'getHealth',
    summary: 'Ask whether the service answers',
    answers: {
      200: {
        description: 'It does.',
        schema: z.object({ status: z.literal('ok'), version: z.string().describe('Version of the service.') }),
        example: { status: 'ok', version: '0.1.0' },
      },
    },
  },
  'GET /ready': {
    ...service,
    operationId: 'getReadiness',
    summary: 'Ask whether the service can audit',
    answers: {
      200: {
        description: 'It can, in the regions that are available.',
        schema: Readiness,
        example: { status: 'ready', regions: [aRegion], chromium: aBrowser, unguarded: [], outdated: null },
      },
    },
  },
} satisfies Partial<Operations>;
