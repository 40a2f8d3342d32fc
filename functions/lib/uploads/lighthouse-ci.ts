import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import { cutText } from '../../../shared/text.ts';
import type { Request } from '../http/endpoint.ts';
import type { Reply } from '../http/response.ts';
import type { Build, BuildStore } from '../store/builds.ts';
import { invalidBuild, type LighthouseCiDeps } from './build-parts.ts';
import { addReport } from './build-reports.ts';
import { discardUploads, endSeal, seal } from './seal-build.ts';
import { makeRoom } from './unsealed-builds.ts';
import { parseInput } from './upload-body.ts';

/*
 * The routes of Lighthouse CI's server that its uploader uses, with the answers of `@lhci/server`. An owner has one project.
 * A build of the project is a commit of a branch. When the uploader seals the build, each page of it becomes a check.
 */

/** Release of Lighthouse CI's server whose answers these are. Its clients compare their own version with it. */
export const LIGHTHOUSE_CI_VERSION = '0.15.1';
const NAMESPACE = '9e0d8a53-4c7b-4b8f-8f0e-6a1c2d3e4f50';
/** Branch with which the uploader compares a commit, without a setting and builds. */
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
  createdAt: ALWAYS,
  updatedAt: ALWAYS,
});

/**
 * Returns the base branch that the owner has set. Without a setting, it is the branch that most of the newest builds have. A tie
 * goes to `main`, and otherwise to the branch with the oldest build.
 */
const baseBranchOf = async (builds: BuildStore, owner: string): Promise<string> => {
  const { baseBranch } = await builds.settings(owner);
  if (baseBranch) return baseBranch;
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
    if (method === 'PUT' && buildId === undefined) return setProject(deps, request);
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

/** Fields of Lighthouse CI's server that a project can have. It refuses the others by name. */
const Settings = z.strictObject({ baseBranch: z.string().min(1).max(80).nullable() });

const setProject = async ({ builds }: LighthouseCiDeps, { owner, body }: Request): Promise<Reply> => {
  await builds.setSettings(owner, parseInput(Settings, body));
  return { status: 200, body: await projectOf(builds, owner) };
};

const notFound = (what: string) => new ApiProblemError('not-found', `There is no such ${what}.`);

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

const createBuild = async (deps: LighthouseCiDeps, request: Request): Promise<Reply> => {
  const { owner, body, requestId } = request;
  const { lifecycle, hash, branch, ...more } = parseInput(NewBuild, body);
  const id = idOfBuild(owner, { branch, hash });
  const createdAt = deps.now().toISOString();
  const known = Object.entries(more).filter((each): each is [string, string] => typeof each[1] === 'string');
  const build: Build = {
    id,
    createId: deps.newId(),
    lifecycle,
    hash,
    branch,
    sent: Object.fromEntries(known),
    taken: {},
    createdAt,
    updatedAt: createdAt,
    expiresAt: Math.floor(deps.now().getTime() / 1000) + deps.retentionDays * 24 * 3600,
  };
  const earlier = await deps.builds.find(owner, id);
  const isOpen = !earlier || earlier.lifecycle === 'unsealed';
  if (isOpen) {
    await makeRoom(deps, request, id);
    await deps.builds.putUnsealed(owner, build); // before the build, so that each unsealed build counts
  }
  if (!isOpen || !(await deps.builds.create(owner, build))) {
    if (earlier?.lifecycle === 'sealing') await endSeal(deps, { owner, requestId }, earlier); // its seal was cut off
    throw invalidBuild(`Build already exists for hash "${cutText(hash, 100)}". Upload another commit or branch.`);
  }
  await discardUploads(deps, owner, id); // of the upload that this one replaces
  return { status: 200, body: shown(owner, build) };
};

/** Returns a build as Lighthouse CI's server shows it. */
const shown = (owner: string, { id, lifecycle, hash, branch, sent, createdAt, updatedAt }: Build) => ({
  id,
  projectId: projectIdOf(owner),
  lifecycle: lifecycle === 'sealed' ? 'sealed' : 'unsealed',
  hash,
  branch,
  ...sent,
  updatedAt,
  createdAt,
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
  const { id, url } = await addReport(deps, request, build);
  const at = deps.now().toISOString();
  const run = { id, projectId: projectIdOf(request.owner), buildId: build.id, representative: false };
  // Lighthouse CI's server repeats the whole result, which no client reads.
  return { status: 200, body: { ...run, url, lhr: '', createdAt: at, updatedAt: at } };
};
