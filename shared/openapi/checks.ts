import { z } from 'zod';
import { JudgeBody, JudgedCheck } from '../assertions/judged-check.ts';
import { auditVersionNames } from '../audit-versions.ts';
import { Check, CheckView, CreateCheckBody } from '../check.ts';
import { ComparisonQuery } from '../comparison/query.ts';
import { CheckComparison, RegionComparison } from '../comparison/schemas.ts';
import { CheckExplanation } from '../explanation/schema.ts';
import { CreateLinkBody, ShareLink } from '../links.ts';
import { AuditRegion } from '../name-schemas.ts';
import { ShownOptions } from '../options/audit-options-schemas.ts';
import { Run } from '../run.ts';
import { CheckSummary } from '../summaries.ts';
import { createBody, examples } from './examples.ts';
import { listQuery, unreadable } from './list-query.ts';
import { notModified, type Operation, type Operations, waitable, waitElsewhere, waitedHeaders } from './operation.ts';

export const CreatedCheck = z
  .object({
    ...ShownOptions.shape,
    ...Check.pick({ id: true, auditVersion: true, url: true, regions: true }).shape,
    runs: z.array(Run.pick({ id: true, region: true, state: true })),
  })
  .meta({ id: 'CreatedCheck', description: 'The inputs of the check, and the ids of its runs.' });

const createInput = CreateCheckBody.extend({
  url: z.string().meta({
    description: 'A public URL that starts with http:// or https://, without credentials.',
    maxLength: 2048,
  }),
  auditVersion: z.enum(auditVersionNames).describe('A version, its major or `latest`.'),
  regions: z.array(AuditRegion).min(1).meta({ description: 'One run is made per region.', uniqueItems: true }),
}).meta({ id: 'CreateCheck' });

const tag = 'Checks';

const getCheck = {
  tag,
  description:
    'With `Prefer: wait=20` it answers when the check is finished, or after 20 seconds with its present state. With `If-None-Match` too, it answers at the next change.',
  headers: waitable,
  answers: {
    200: { description: 'The check.', schema: CheckView, example: examples.check, headers: waitedHeaders },
    304: { ...notModified, headers: waitedHeaders },
  },
  problems: ['not-found', 'too-many-requests'],
} as const satisfies Partial<Operation>;

/** The documentation of the routes of checks. */
export const checkOperations = {
  'POST /v1/checks': {
    operationId: 'createCheck',
    summary: 'Create a check',
    description: 'Starts one run per region. The same `Idempotency-Key` and body return the same check (200).',
    tag,
    headers: z.object({
      'Idempotency-Key': z
        .string()
        .regex(/^[\x20-\x7e]{1,255}$/)
        .optional()
        .describe('1 to 255 printable ASCII characters.'),
    }),
    body: { schema: createInput, example: createBody },
    answers: {
      200: {
        description: 'The check of an earlier create with this key.',
        schema: CreatedCheck,
        example: examples.created,
        headers: ['location'],
      },
      201: {
        description: 'The new check.',
        schema: CreatedCheck,
        example: examples.created,
        headers: ['location', 'ratelimit?', 'ratelimit-policy?'],
      },
    },
    problems: [
      ...(['unsupported-region', 'unsupported-audit-version', 'forbidden-target', 'being-erased'] as const),
      ...(['payload-too-large', 'unsupported-media-type', 'idempotency-mismatch', 'too-many-requests'] as const),
    ],
  },
  'GET /v1/checks': {
    tag,
    operationId: 'listChecks',
    summary: 'List your checks, newest first',
    description: 'A page may be shorter than its limit. Only `"nextCursor": null` is the end.',
    query: listQuery('checks'),
    answers: {
      200: {
        description: 'One page.',
        schema: z.object({ checks: z.array(CheckSummary), unreadable, nextCursor: z.string().nullable() }),
        example: examples.checks,
        headers: ['link?'],
      },
    },
  },
  'GET /v1/checks/{checkId}': {
    ...getCheck,
    operationId: 'getCheck',
    summary: 'Read a check with its complete runs',
    answers: { ...getCheck.answers, 307: waitElsewhere },
    problems: ['not-found'],
  },
  'GET /v1/checks/{checkId}/wait': {
    ...getCheck,
    operationId: 'waitForCheck',
    summary: 'Wait for a check: the target of a redirect of its GET',
  },
  'DELETE /v1/checks/{checkId}': {
    operationId: 'deleteCheck',
    summary: 'Erase a check, its runs, reports and entries in lists',
    description: 'Final. From the answer on, nobody can read the check.',
    tag,
    answers: { 204: { description: 'The check is erased.' } },
    problems: ['not-found'],
  },
  'POST /v1/checks/{checkId}/links': {
    operationId: 'createLink',
    summary: 'Share a check',
    description: 'Returns a link with which anyone can read this check, its runs and reports, until the link expires.',
    tag,
    body: { schema: CreateLinkBody, example: { expiresIn: '7d' } },
    answers: { 201: { description: 'The link. Nobody can read it again.', schema: ShareLink, example: examples.link } },
    problems: ['not-found', 'payload-too-large', 'unsupported-media-type'],
  },
  'DELETE /v1/checks/{checkId}/links': {
    operationId: 'deleteLinks',
    summary: 'Revoke all share links of a check',
    tag,
    answers: { 204: { description: 'No link of the check works any more.' } },
    problems: ['not-found'],
  },
  'POST /v1/checks/{checkId}/assertions': {
    tag,
    operationId: 'judgeCheck',
    summary: 'Judge a finished check by other assertions',
    description: 'Judges the stored reports again, without an audit. The check keeps its own assertions and results.',
    body: { schema: JudgeBody, example: { assertions: { 'categories:performance': ['error', { minScore: 0.9 }] } } },
    answers: { 200: { description: 'The results.', schema: JudgedCheck, example: examples.judged } },
    problems: [
      ...(['not-found', 'report-unavailable', 'report-not-ready', 'not-comparable'] as const),
      ...(['payload-too-large', 'unsupported-media-type'] as const),
    ],
  },
  'GET /v1/checks/{checkId}/comparison': {
    tag,
    operationId: 'getComparison',
    summary: 'Compare the regions or the variants of a check, or two checks',
    description:
      'Without `base` it compares `against` with the check, or the regions of a check with one variant. A change is an estimate with an interval. Metrics with noise need at least 3 samples on both sides for a verdict.',
    query: ComparisonQuery.shape,
    answers: {
      200: {
        description: 'The comparison. `baseCheckId` is null if it compares regions.',
        schema: z.union([RegionComparison, CheckComparison]),
        example: examples.comparison,
      },
    },
    problems: ['not-found', 'report-not-ready', 'not-comparable'],
  },
  'GET /v1/checks/{checkId}/explanation': {
    tag,
    operationId: 'getExplanation',
    summary: 'Say why a check differs from another one, or from its second variant',
    description:
      'Without `base` it explains a check with `against`. Compares the two median reports of each region. It speaks only of metrics whose change has a verdict, and of changes without noise. Texts may quote the pages.',
    query: ComparisonQuery.shape,
    answers: {
      200: { description: 'The explanation.', schema: CheckExplanation, example: examples.explanation },
    },
    problems: ['not-found', 'report-unavailable', 'report-not-ready', 'not-comparable'],
  },
} satisfies Partial<Operations>;
