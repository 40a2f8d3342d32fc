import { z } from 'zod';
import { FieldHistory } from '../field-data-schemas.ts';
import { Fixes } from '../fixes/fix.ts';
import { listParameter, MAX_PAGES } from '../list-parameters.ts';
import { VariantName } from '../name-schemas.ts';
import { ARTIFACT_DAYS } from '../options/artifacts.ts';
import { PageList } from '../pages/pages.ts';
import { RunView } from '../run.ts';
import { Filmstrip } from '../service/offer.ts';
import { RunSummary } from '../summaries.ts';
import { examples } from './examples.ts';
import { listQuery, unreadable } from './list-query.ts';
import {
  conditional,
  notModified,
  type Operation,
  type Operations,
  waitable,
  waitElsewhere,
  waitedHeaders,
} from './operation.ts';
import { pagesExample } from './page-example.ts';

const checkId = z.uuid().optional().describe('Id of the check. If it is sent, it must match.');
const interaction = z.string().optional().describe('Name of an interaction, for its timespan report.');
const variant = VariantName.optional().describe('Variant of a check with `against`. Default: `own`.');
const tag = 'Runs';

const waitForRun = {
  tag,
  description:
    'With `Prefer: wait=20` it answers when the run is finished, or after 20 seconds with its present state. With `If-None-Match` too, it answers at the next change.',
  headers: waitable,
  answers: {
    200: { description: 'The run.', schema: RunView, example: examples.run, headers: waitedHeaders },
    304: { ...notModified, headers: waitedHeaders },
  },
  problems: ['not-found', 'too-many-requests'],
} as const satisfies Partial<Operation>;

const getRun = {
  ...waitForRun,
  answers: { ...waitForRun.answers, 307: waitElsewhere },
  problems: ['not-found'],
} as const satisfies Partial<Operation>;

const report = z
  .looseObject({ lighthouseVersion: z.string().optional() })
  .meta({ id: 'Report', description: 'The full Lighthouse result as that version wrote it, plus `auditVersion`.' });
const getReport = {
  tag,
  description:
    'With `Accept: text/html` the answer is the report as a web page. The page of a large report loads its data from storage, for five minutes. It has no `ETag`.',
  query: { checkId, variant, interaction },
  headers: conditional,
  answers: {
    200: {
      description: 'The report.',
      schema: report,
      example: { lighthouseVersion: '13.5.0', auditVersion: '13.5.0' },
      headers: ['etag?'],
      also: ['text/html'],
    },
    303: { description: 'The report is large. `Location` is valid for five minutes.', headers: ['location', 'etag'] },
    304: notModified,
  },
  problems: ['not-found', 'report-unavailable', 'report-not-ready'],
} as const satisfies Partial<Operation>;

const limitOfRuns = z
  .int()
  .min(1)
  .max(MAX_PAGES)
  .optional()
  .describe(`${listParameter('limit').accepted} The default is 20, and ${MAX_PAGES} as NDJSON.`);

/** An answer that the service takes from a report. */
const fromReport = {
  tag,
  query: { variant },
  headers: conditional,
  problems: ['not-found', 'report-unavailable', 'report-not-ready'],
} as const satisfies Partial<Operation>;

const trace = z
  .looseObject({ traceEvents: z.array(z.looseObject({})) })
  .meta({ id: 'Trace', description: 'A trace of Chromium.' });
const har = z
  .looseObject({ log: z.looseObject({ version: z.string(), entries: z.array(z.looseObject({})) }) })
  .meta({ id: 'Har', description: 'HAR 1.2, without the values of cookies and credentials.' });
const file = { description: 'The file.', headers: ['etag'] } as const;
const getArtifact = {
  ...fromReport,
  description: `A check asks for it with \`artifacts\`. The service keeps it for ${ARTIFACT_DAYS} days. It is that of the shown sample.`,
  answers: {
    303: { description: 'The file is large. `Location` is valid for five minutes.', headers: ['location', 'etag'] },
    304: notModified,
  },
} as const satisfies Partial<Operation>;

/** The documentation of the routes of runs. */
export const runOperations = {
  'GET /v1/runs': {
    tag,
    operationId: 'listRuns',
    summary: 'List the finished runs of a URL, newest first',
    description:
      'With `every=day` an entry has the medians of a day in a region, and `limit` counts days. With `Accept: text/csv` the answer is CSV (RFC 4180) with times in milliseconds. Both need `url`. With `Accept: application/x-ndjson` the answer has the runs of all URLs, oldest first, and goes on with `cursor` where the answer before has ended.',
    query: { ...listQuery('runs'), limit: limitOfRuns },
    answers: {
      200: {
        description: 'One page.',
        schema: z.object({
          runs: z.array(RunSummary),
          unreadable,
          fieldHistory: FieldHistory.optional().describe(
            'The field data of the page week by week, on the first page of a list, if there are any.',
          ),
          nextCursor: z.string().nullable(),
        }),
        example: examples.runs,
        headers: ['link?', 'next-cursor?', 'run-count?', 'export-ended-by?'],
        also: ['text/csv', 'application/x-ndjson'],
      },
    },
  },
  'GET /v1/pages': {
    tag,
    operationId: 'listPages',
    summary: 'List your pages with their newest results, and how they changed',
    description:
      'By `sort=score` the worst are first: the pages with a run that failed, and then those with the lowest performance score. By `sort=change` those that lost most are first. A filter by label keeps the results that have the label. A page has changed if the series of its checks has a step since that time.',
    query: listQuery('pages'),
    answers: {
      200: {
        description: 'One part of the list.',
        schema: PageList,
        example: pagesExample(),
        headers: ['link?'],
      },
    },
  },
  'GET /v1/metrics': {
    tag,
    operationId: 'getMetrics',
    summary: 'Read the newest results of your pages as OpenMetrics',
    description:
      'For Prometheus and others that scrape. It also has the figures of the service that answers. `page_audit_results_left_out` is the number of results that the limit of 500 pages leaves out.',
    query: listQuery('metrics'),
    answers: { 200: { description: 'The metrics as text.', also: ['application/openmetrics-text'] } },
  },
  'GET /v1/checks/{checkId}/runs/{runId}': { ...getRun, operationId: 'getRun', summary: 'Read a run' },
  'GET /v1/checks/{checkId}/runs/{runId}/wait': {
    ...waitForRun,
    operationId: 'waitForRun',
    summary: 'Wait for a run: the target of a redirect of its GET',
  },
  'GET /v1/checks/{checkId}/runs/{runId}/report': {
    ...getReport,
    query: { variant, interaction },
    operationId: 'getReport',
    summary: 'Read the Lighthouse report of a run',
  },
  'GET /v1/checks/{checkId}/runs/{runId}/fixes': {
    ...fromReport,
    operationId: 'getFixes',
    summary: 'Read what to fix first',
    description:
      'Performance has points from Lighthouse 11 on. In other versions its fixes are first, by the time that they save.',
    answers: {
      200: {
        description: 'The fixes. The category would gain most from the first.',
        schema: Fixes,
        example: examples.fixes,
        headers: ['etag'],
      },
      304: notModified,
    },
  },
  'GET /v1/checks/{checkId}/runs/{runId}/screenshot': {
    ...fromReport,
    operationId: 'getScreenshot',
    summary: 'Read the last view of the page',
    answers: { 200: { description: 'The image.', headers: ['etag'], also: ['image/jpeg'] }, 304: notModified },
  },
  'GET /v1/checks/{checkId}/runs/{runId}/filmstrip': {
    ...fromReport,
    operationId: 'getFilmstrip',
    summary: 'Read the views of the page while it loads',
    answers: {
      200: {
        description: 'The images in the order of time.',
        schema: Filmstrip,
        example: { frames: [{ timing: 375, image: 'data:image/jpeg;base64,/9j/4AAQ' }] },
        headers: ['etag'],
      },
      304: notModified,
    },
  },
  'GET /v1/checks/{checkId}/runs/{runId}/trace': {
    ...getArtifact,
    operationId: 'getTrace',
    summary: 'Read the trace of the audit, for DevTools and Perfetto',
    answers: { ...getArtifact.answers, 200: { ...file, schema: trace, example: { traceEvents: [] } } },
  },
  'GET /v1/checks/{checkId}/runs/{runId}/har': {
    ...getArtifact,
    operationId: 'getHar',
    summary: 'Read the requests of the page as a HAR',
    answers: {
      ...getArtifact.answers,
      200: { ...file, schema: har, example: { log: { version: '1.2', entries: [] } } },
    },
  },
  'GET /v1/audit/runs/{runId}': {
    ...getRun,
    operationId: 'getRunById',
    summary: 'Read a run without its check id',
    query: { checkId },
  },
  'GET /v1/audit/runs/{runId}/wait': {
    ...waitForRun,
    operationId: 'waitForRunById',
    summary: 'Wait for a run without its check id',
    query: { checkId },
  },
  'GET /v1/audit/runs/{runId}/report': {
    ...getReport,
    operationId: 'getReportByRunId',
    summary: 'Read a Lighthouse report without the check id',
  },
} satisfies Partial<Operations>;
