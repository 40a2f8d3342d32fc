import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import { ELSEWHERE } from '../../../shared/regions.ts';
import type { OwnerCaller } from '../../../shared/service/keys.ts';
import { cutText } from '../../../shared/text.ts';
import { MAX_UPLOADED_SAMPLES } from '../../../shared/uploads.ts';
import { permitCreate } from '../http/create-limits.ts';
import type { Request } from '../http/endpoint.ts';
import type { Reply } from '../http/response.ts';
import type { Build, BuildStore, Uploaded } from '../store/builds.ts';
import type { Reports } from '../store/reports.ts';
import type { UsageStore } from '../store/usage.ts';
import { inThread } from '../thread/in-thread.ts';
import type { UploadedSample } from './parse-report.ts';
import { readRun } from './read-upload.ts';
import { storeReport, storeUpload, type UploadDeps } from './store-upload.ts';
import { parseInput, sentUpload } from './upload-body.ts';

/*
 * The routes of Lighthouse CI's server that its uploader uses, with the answers of `@lhci/server`. An owner has one project.
 * A build of the project is a commit of a branch. When the uploader seals the build, each page of it becomes a check.
 */

export type LighthouseCiDeps = UploadDeps & {
  builds: BuildStore;
  reports: Pick<Reports, 'put' | 'delete'>;
  usage: Pick<UsageStore, 'take'>;
  maxBytes: number;
};

/** Release of Lighthouse CI's server whose answers these are. Its clients compare their own version with it. */
export const LIGHTHOUSE_CI_VERSION = '0.15.1';
const NAMESPACE = '9e0d8a53-4c7b-4b8f-8f0e-6a1c2d3e4f50';
/** Branch with which the uploader compares a commit, unless most builds have another one. */
const BASE_BRANCH = 'main';
/** Builds that decide which branch is the base. */
const BRANCH_LOOKS = 100;
/** Time of a project that has always existed. */
const ALWAYS = new Date(0).toISOString();

export const projectIdOf = (owner: string): string => uuidv5(owner, NAMESPACE);

/** Returns the project of an owner. Unlike Lighthouse CI's server, it doesn't repeat the token. */
export const projectOf = async (builds: BuildStore, owner: string) => ({
  id: projectIdOf(owner),
  ...{
    name: owner,
    slug: owner,
    externalUrl: '',
    token: '',
    baseBranch: await baseBranchOf(builds, owner),
    adminToken: '',
  },
  ...{ createdAt: ALWAYS, updatedAt: ALWAYS },
});

/** Returns the branch with most of the newest builds. Of several, it is the one that began first, as a base does. */
const baseBranchOf = async (builds: BuildStore, owner: string): Promise<string> => {
  const newest = await builds.list(owner, BRANCH_LOOKS, () => true);
  const counts = Map.groupBy(newest.toReversed(), ({ branch }) => branch);
  const [most] = [...counts].toSorted(
    ([a, of], [b, than]) => than.length - of.length || Number(b === BASE_BRANCH) - Number(a === BASE_BRANCH),
  );
  return most?.[0] ?? BASE_BRANCH;
};

/** Answers a request for the builds of a project. */
export const lighthouseCi =
  (deps: LighthouseCiDeps) =>
  async (request: Request): Promise<Reply> => {
    const { owner, params, method, path } = request;
    if (params.projectId !== projectIdOf(owner)) throw notFound('project');
    const { buildId } = params;
    if (buildId === undefined) return method === 'POST' ? createBuild(deps, request) : listBuilds(deps, request);
    const build = z.uuid().safeParse(buildId).success ? await deps.builds.find(owner, buildId) : undefined;
    if (!build) throw notFound('build');
    const action = path.split('/').at(-1);
    if (action === 'runs') return createRun(deps, request, build);
    if (action === 'lifecycle') return seal(deps, request, build);
    if (action !== 'ancestor') return { status: 200, body: shown(owner, build) };
    const ancestor = await ancestorOf(deps, owner, build);
    if (!ancestor) throw notFound('ancestor of the build');
    return { status: 200, body: shown(owner, ancestor) };
  };

const notFound = (what: string) => new ApiProblemError('not-found', `There is no such ${what}.`);
const invalidBuild = (detail: string) => new ApiProblemError('invalid-build', detail);

const Text = z.string().max(512);
/** Fields of a build besides its commit. The service shows them as they were sent. */
const sentNames = ['commitMessage', 'author', 'avatarUrl', 'ancestorHash', 'externalBuildUrl'] as const;
const timeNames = ['runAt', 'committedAt', 'ancestorCommittedAt'] as const;
const NewBuild = z.object({
  lifecycle: z.literal('unsealed'),
  hash: Text.min(1),
  branch: Text.min(1),
  ...(Object.fromEntries(sentNames.map((name) => [name, Text.nullish()])) as Record<
    (typeof sentNames)[number],
    z.ZodOptional<z.ZodNullable<typeof Text>>
  >),
  ...(Object.fromEntries(timeNames.map((name) => [name, Text.nullish()])) as Record<
    (typeof timeNames)[number],
    z.ZodOptional<z.ZodNullable<typeof Text>>
  >),
});

const idOfBuild = (owner: string, { branch, hash }: Pick<Build, 'branch' | 'hash'>): string =>
  uuidv5(`${branch}\n${hash}`, projectIdOf(owner));

const createBuild = async (deps: LighthouseCiDeps, { owner, body }: Request): Promise<Reply> => {
  const { lifecycle, hash, branch, ...more } = parseInput(NewBuild, body);
  const createdAt = deps.now().toISOString();
  const known = Object.entries(more).filter((each): each is [string, string] => typeof each[1] === 'string');
  const build: Build = {
    ...{ id: idOfBuild(owner, { branch, hash }), createId: deps.newId(), lifecycle, hash, branch },
    sent: Object.fromEntries(known),
    ...{ createdAt, updatedAt: createdAt },
    expiresAt: Math.floor(deps.now().getTime() / 1000) + deps.retentionDays * 24 * 3600,
  };
  if (!(await deps.builds.create(owner, build)))
    throw invalidBuild(`Build already exists for hash "${cutText(hash, 100)}". Upload another commit or branch.`);
  return { status: 200, body: shown(owner, build) };
};

/** Returns a build as Lighthouse CI's server shows it. */
const shown = (owner: string, { id, lifecycle, hash, branch, sent, createdAt, updatedAt }: Build) => ({
  ...{ id, projectId: projectIdOf(owner), lifecycle, hash, branch, ...sent, updatedAt, createdAt },
});

/** Number of builds in a list, as of Lighthouse CI's server. */
const LISTED = 10;

const listBuilds = async ({ builds }: LighthouseCiDeps, { owner, query }: Request): Promise<Reply> => {
  const { branch, hash, limit } = query;
  const matches = (build: Build) =>
    (branch === undefined || build.branch === branch) && (hash === undefined || build.hash === hash);
  const most = Math.min(Math.max(Number.parseInt(limit ?? '', 10) || LISTED, 1), 100);
  return { status: 200, body: (await builds.list(owner, most, matches)).map((build) => shown(owner, build)) };
};

/** Returns the build of the commit from which the branch began, or else the newest one of the base branch before. */
const ancestorOf = async ({ builds }: LighthouseCiDeps, owner: string, build: Build): Promise<Build | undefined> => {
  const { ancestorHash } = build.sent;
  const base = await baseBranchOf(builds, owner);
  const known = ancestorHash && (await builds.find(owner, idOfBuild(owner, { branch: base, hash: ancestorHash })));
  if (known) return known;
  const isBefore = ({ id, branch, createdAt }: Build) =>
    id !== build.id && branch === base && createdAt <= build.createdAt;
  return (await builds.list(owner, 1, isBefore))[0];
};

const createRun = async (deps: LighthouseCiDeps, request: Request, build: Build): Promise<Reply> => {
  const { owner } = request;
  if (build.lifecycle !== 'unsealed') throw invalidBuild('The build is sealed. Upload the reports before its seal.');
  const sent = sentUpload(request, deps.maxBytes);
  const { url: sentUrl, results, ...read } = await inThread({ readRun }, request.body as Buffer, sent);
  const url = pageOf(sentUrl, results.finalUrl);
  const checkId = uuidv5(url, build.createId);
  const before = await deps.builds.uploads(build, checkId);
  if (before.length >= MAX_UPLOADED_SAMPLES) throw fullBuild(url); // before the report is stored
  if (before.length === 0) await permit(deps, request, { id: checkId, createId: createIdOf(build, checkId) });
  const report = await storeReport(deps, { checkId, runId: runIdOf(checkId) }, read);
  await addUpload(deps, build, checkId, before.length, { url, report, results });
  const at = deps.now().toISOString();
  const run = { id: deps.newId(), projectId: projectIdOf(owner), buildId: build.id, representative: false };
  // Lighthouse CI's server repeats the whole result, which no client reads.
  return { status: 200, body: { ...run, url: sentUrl, lhr: '', createdAt: at, updatedAt: at } };
};

/** First port that a system gives to a server that asks for any free port, as the static server of Lighthouse CI does. */
const FIRST_FREE_PORT = 32_768;

/**
 * Returns the page of a run. The uploader replaces what may change from build to build, such as each port, so the sent URL
 * may be no URL. A port that somebody chose is a part of the page.
 */
const pageOf = (sent: string, finalUrl: string): string => {
  const { port } = new URL(finalUrl);
  const chosen = port !== '' && Number(port) < FIRST_FREE_PORT ? `:${port}` : '';
  const page = sent.replace(/^(https?:\/\/[^/]*):PORT\//, `$1${chosen}/`);
  return /^https?:\/\//i.test(page) && URL.canParse(page) ? page : finalUrl;
};

/** Takes a token for the check of a page. Its reports count as one audit. */
const permit = async (
  { usage, now }: LighthouseCiDeps,
  caller: OwnerCaller,
  create: { id: string; createId: string },
): Promise<void> => {
  const { settle } = await permitCreate(usage, caller, { ...create, audits: 1 }, now());
  await settle();
};

const addUpload = async (
  { builds }: LighthouseCiDeps,
  build: Build,
  checkId: string,
  from: number,
  upload: Uploaded<UploadedSample>,
): Promise<void> => {
  for (let place = from; place < MAX_UPLOADED_SAMPLES; place++)
    if (await builds.addUpload(build, checkId, place, upload)) return;
  throw fullBuild(upload.url);
};

const fullBuild = (url: string) =>
  invalidBuild(`The build has ${MAX_UPLOADED_SAMPLES} reports of ${cutText(url, 200)}. Upload no more of one page.`);

const runIdOf = (checkId: string): string => uuidv5(ELSEWHERE, checkId);
const createIdOf = (build: Build, checkId: string): string => uuidv5(checkId, build.createId);

/** Makes a check of each page of the build, seals it, and deletes what waited for the seal. Safe to repeat. */
const seal = async (deps: LighthouseCiDeps, { owner, body, requestId }: Request, build: Build): Promise<Reply> => {
  if (body !== 'sealed') throw new ApiProblemError('invalid-request', 'The body must be the text "sealed" in JSON.');
  if (build.lifecycle === 'sealed') return { status: 204 };
  const uploads = await deps.builds.uploads<UploadedSample>(build);
  if (uploads.length === 0) throw invalidBuild('The build has no reports. Upload some before its seal.');
  const label = (text: string) => cutText(text, 128);
  const labels = { branch: label(build.branch), commit: label(build.hash), build: build.id };
  for (const [id, [first, ...others]] of Map.groupBy(uploads, ({ checkId }) => checkId)) {
    if (!first) continue;
    const createId = createIdOf(build, id);
    const upload = {
      id,
      createId,
      runId: runIdOf(id),
      owner,
      url: first.url,
      labels,
      fingerprint: createId,
      requestId,
    };
    const isStored = await storeUpload(deps, { ...upload, uploads: [first, ...others] });
    if (!isStored) throw new Error(`could not store the check ${id}: another one has its id, or it is being erased`);
  }
  await deps.builds.seal(owner, build, deps.now());
  for (const key of await deps.builds.abandoned(build)) await deps.reports.delete(key);
  await deps.builds.removeUploads(build); // the checks have them, and their erasure must leave nothing
  return { status: 204 };
};
