import { v5 as uuidv5 } from 'uuid';
import { cutText } from '../../../shared/text.ts';
import { MAX_BUILD_REPORTS, MAX_UPLOADED_SAMPLES } from '../../../shared/uploads.ts';
import { type Permit, permitCreate } from '../http/create-limits.ts';
import type { Request } from '../http/endpoint.ts';
import type { Build } from '../store/builds.ts';
import { inThread } from '../thread/in-thread.ts';
import { invalidBuild, type LighthouseCiDeps, runIdOf } from './build-parts.ts';
import { readRun } from './read-upload.ts';
import { storeReport } from './store-upload.ts';
import { requireRoom } from './unsealed-builds.ts';
import { sentUpload } from './upload-body.ts';

/**
 * Adds a report to a build. The same report is added once, however often it is sent. It counts when the build lists it, which
 * is the last write, so that a seal takes all of it or nothing.
 */
export const addReport = async (deps: LighthouseCiDeps, request: Request, build: Build) => {
  const { builds, reports } = deps;
  if (build.lifecycle !== 'unsealed') throw ended();
  const sent = sentUpload(request, deps.maxBytes);
  const { url: sentUrl, results, hash, ...read } = await inThread({ readRun }, request.body as Buffer, sent);
  const url = pageOf(sentUrl, results.finalUrl);
  const checkId = uuidv5(url, build.createId);
  const id = uuidv5(hash, checkId);
  const added = { id, url: sentUrl };
  if (build.taken[id]) return added;
  requirePlace(build, checkId, url);
  await requireRoom(deps, request);
  const permit = firstOf(build, checkId)
    ? undefined
    : await permitCreate(deps.usage, request, { id: checkId, createId: id, audits: 1 }, deps.now());
  const report = await storeReport(deps, { checkId, runId: runIdOf(checkId) }, read, id);
  await builds.putUpload(build, checkId, id, { url, report, results });
  const now = await take(deps, request.owner, build, { id, checkId, bytes: report.gzipBytes, url });
  await endPermit(permit, id, now && firstOf(now, checkId));
  if (now?.taken[id]) {
    await builds.countBytes(request.owner, now);
    return added;
  }
  await reports.delete(report.key);
  await builds.removeUpload(build, { createId: build.createId, checkId, reportId: id });
  if (now?.createId === build.createId && now.lifecycle === 'unsealed') requirePlace(now, checkId, url);
  throw ended();
};

const ended = () => invalidBuild('The build is sealed, or has begun again. Upload the reports before its seal.');

/** Lists a report in its build, unless the build has ended or is full. Returns the build as it is then. */
const take = (
  { builds }: LighthouseCiDeps,
  owner: string,
  { id: buildId, createId }: Build,
  { id, checkId, bytes, url }: { id: string; checkId: string; bytes: number; url: string },
): Promise<Build | undefined> =>
  builds.change(owner, buildId, (build) => {
    if (build.taken[id] || build.createId !== createId || build.lifecycle !== 'unsealed') return undefined;
    if (fullness(build, checkId, url)) return undefined;
    return { set: { [`taken.${id}`]: { checkId, place: Object.keys(build.taken).length, bytes } } };
  });

const ofPage = ({ taken }: Build, checkId: string) =>
  Object.entries(taken).filter(([, each]) => each.checkId === checkId);

/** Returns the first report of a page in a build. It pays for the check. */
const firstOf = (build: Build, checkId: string): string | undefined =>
  ofPage(build, checkId).toSorted(([, a], [, b]) => a.place - b.place)[0]?.[0];

const requirePlace = (build: Build, checkId: string, url: string): void => {
  const detail = fullness(build, checkId, url);
  if (detail !== undefined) throw invalidBuild(detail);
};

/** Returns why a build takes no further report of a page, or undefined. */
const fullness = (build: Build, checkId: string, url: string): string | undefined => {
  if (Object.keys(build.taken).length >= MAX_BUILD_REPORTS)
    return `The build has ${MAX_BUILD_REPORTS} reports. Upload the others as another build.`;
  if (ofPage(build, checkId).length < MAX_UPLOADED_SAMPLES) return undefined;
  return `The build has ${MAX_UPLOADED_SAMPLES} reports of ${cutText(url, 200)}. Upload no more of one page.`;
};

/** Keeps the token of the first report of a page, and gives those of the others back. */
const endPermit = async (permit: Permit | undefined, id: string, first: string | undefined): Promise<void> => {
  if (first === undefined) return permit?.refund();
  await (first === id ? permit?.settle() : permit?.join(first));
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
