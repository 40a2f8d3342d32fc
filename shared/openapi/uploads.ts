import { z } from 'zod';
import { CreatedCheck } from './checks.ts';
import { examples } from './examples.ts';
import { labelParameter } from './list-query.ts';
import type { Operations } from './operation.ts';

const tag = 'Uploads';

const Project = z
  .looseObject({ id: z.uuid(), name: z.string(), slug: z.string(), baseBranch: z.string() })
  .meta({ id: 'LighthouseCiProject', description: "A project in the form of Lighthouse CI's server." });
const Build = z
  .looseObject({
    id: z.uuid(),
    projectId: z.uuid(),
    lifecycle: z.enum(['unsealed', 'sealed']),
    hash: z.string().describe('The commit.'),
    branch: z.string(),
  })
  .meta({ id: 'LighthouseCiBuild', description: "A build in the form of Lighthouse CI's server." });
const NewBuild = Build.omit({ id: true, projectId: true }).meta({ id: 'NewLighthouseCiBuild' });
const NewRun = z
  .looseObject({ url: z.string(), lhr: z.string().describe('The Lighthouse result, as a text of JSON.') })
  .meta({ id: 'NewLighthouseCiRun' });
const LighthouseCiRun = z
  .looseObject({ id: z.uuid(), buildId: z.uuid(), url: z.string() })
  .meta({ id: 'LighthouseCiRun', description: "A run in the form of Lighthouse CI's server, without its result." });

const id = '0d6c1b5e-9f2a-5c1d-8e7b-3a4b5c6d7e8f';
const project = (description: string) => ({
  200: { description, schema: Project, example: { id: projectId, name: 'acme', slug: 'acme', baseBranch: 'main' } },
});
const projectId = '6f1c2d3e-4a5b-5c6d-9e8f-7a6b5c4d3e2f';
const newBuild = { lifecycle: 'unsealed' as const, hash: '4f2a9c1', branch: 'main' };
const build = { ...newBuild, id, projectId };
const built = (description: string) => ({ 200: { description, schema: Build, example: build } });
const tooLarge = ['payload-too-large', 'unsupported-media-type'] as const;

/** The documentation of the routes that take in reports. */
export const uploadOperations = {
  'POST /v1/reports': {
    tag,
    operationId: 'uploadReport',
    summary: 'Upload a report that was made elsewhere',
    description:
      'The body is a Lighthouse result (version 9 to 13), or a list of up to 15 results of one page, which become the samples of one run. `Content-Encoding: gzip` is accepted. The check has succeeded at once, in the region `elsewhere`. It counts as one audit.',
    query: {
      url: z.string().optional().describe('The page in lists and trends. Default: the URL of the report.'),
      label: labelParameter.describe('A label of the check, such as `branch:main`. It may repeat.'),
    },
    body: {
      schema: z.union([z.looseObject({ lighthouseVersion: z.string() }), z.array(z.looseObject({}))]),
      example: { lighthouseVersion: '13.5.0' },
    },
    answers: {
      200: {
        description: 'The check of an earlier upload with this `Idempotency-Key` and body.',
        schema: CreatedCheck,
        example: examples.created,
        headers: ['location'],
      },
      201: {
        description: 'The check.',
        schema: CreatedCheck,
        example: examples.created,
        headers: ['location', 'ratelimit?', 'ratelimit-policy?'],
      },
    },
    problems: ['unsupported-audit-version', 'being-erased', ...tooLarge, 'idempotency-mismatch', 'too-many-requests'],
  },
  'POST /v1/projects/lookup': {
    tag,
    operationId: 'findLighthouseCiProject',
    summary: 'Lighthouse CI: find the project of a token',
    description: 'The token is an API key. An owner has one project.',
    body: { schema: z.object({ token: z.string() }), example: { token: 'pas_…' } },
    answers: project('The project.'),
    problems: ['forbidden', 'not-found', ...tooLarge],
  },
  'PUT /v1/projects/{projectId}': {
    tag,
    operationId: 'setLighthouseCiProject',
    summary: 'Lighthouse CI: set the base branch of the project',
    description: 'Null unsets it, so that it is the branch with most of the newest builds again.',
    body: {
      schema: z.object({ baseBranch: z.string().nullable() }).meta({ id: 'LighthouseCiSettings' }),
      example: { baseBranch: 'develop' },
    },
    answers: project('The project.'),
    problems: ['not-found', ...tooLarge],
  },
  'POST /v1/projects/{projectId}/builds': {
    tag,
    operationId: 'createLighthouseCiBuild',
    summary: 'Lighthouse CI: create a build',
    body: { schema: NewBuild, example: newBuild },
    answers: built('The build.'),
    problems: ['not-found', ...tooLarge, 'invalid-build', 'too-many-requests'],
  },
  'GET /v1/projects/{projectId}/builds': {
    tag,
    operationId: 'listLighthouseCiBuilds',
    summary: 'Lighthouse CI: list builds, newest first',
    query: { branch: z.string().optional(), hash: z.string().optional(), limit: z.string().optional() },
    answers: { 200: { description: 'The builds.', schema: z.array(Build), example: [build] } },
    problems: ['not-found'],
  },
  'GET /v1/projects/{projectId}/builds/{buildId}': {
    tag,
    operationId: 'getLighthouseCiBuild',
    summary: 'Lighthouse CI: read a build',
    answers: built('The build.'),
    problems: ['not-found'],
  },
  'GET /v1/projects/{projectId}/builds/{buildId}/ancestor': {
    tag,
    operationId: 'getLighthouseCiAncestor',
    summary: 'Lighthouse CI: read the build from which the branch of a build began',
    answers: built('The build.'),
    problems: ['not-found'],
  },
  'POST /v1/projects/{projectId}/builds/{buildId}/runs': {
    tag,
    operationId: 'createLighthouseCiRun',
    summary: 'Lighthouse CI: upload a report of a build',
    description:
      'The first report of each page counts as one audit. A build takes up to 15 reports of a page, and 1,000 reports. The same report is added once.',
    body: { schema: NewRun, example: { url: 'http://localhost:PORT/', lhr: '{"lighthouseVersion":"12.6.1"}' } },
    answers: {
      200: {
        description: 'The run.',
        schema: LighthouseCiRun,
        example: { id: '1e2f3a4b-5c6d-4e7f-8a9b-0c1d2e3f4a5b', buildId: id, url: 'http://localhost:PORT/' },
      },
    },
    problems: ['unsupported-audit-version', 'not-found', ...tooLarge, 'invalid-build', 'too-many-requests'],
  },
  'PUT /v1/projects/{projectId}/builds/{buildId}/lifecycle': {
    tag,
    operationId: 'sealLighthouseCiBuild',
    summary: 'Lighthouse CI: seal a build, whose pages become checks',
    description: 'The checks have the labels `branch`, `commit` and `build`.',
    body: { schema: z.literal('sealed'), example: 'sealed' },
    answers: { 204: { description: 'The build is sealed.' } },
    problems: ['not-found', ...tooLarge, 'invalid-build'],
  },
  'GET /version': {
    tag,
    operationId: 'getLighthouseCiVersion',
    summary: 'Lighthouse CI: read the version of its server whose routes these are',
    answers: { 200: { description: 'The version.', also: ['text/plain'] } },
  },
  'GET /app/projects/{projectId}/compare/{buildId}': {
    tag,
    operationId: 'openLighthouseCiBuild',
    summary: 'Lighthouse CI: open the checks of a build in the web page',
    description: 'The uploader prints this address.',
    answers: {
      200: { description: 'The web page with the checks of the build, where the 303 leads.', also: ['text/html'] },
      303: { description: 'The address of that page.', headers: ['location'] },
    },
  },
} satisfies Partial<Operations>;
