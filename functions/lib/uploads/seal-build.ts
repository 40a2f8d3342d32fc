import { v5 as uuidv5 } from 'uuid';
import { ApiProblemError } from '../../../shared/problems.ts';
import { cutText } from '../../../shared/text.ts';
import type { Request } from '../http/endpoint.ts';
import type { Reply } from '../http/response.ts';
import type { Build } from '../store/builds.ts';
import { invalidBuild, type LighthouseCiDeps, runIdOf } from './build-parts.ts';
import type { UploadedSample } from './parse-report.ts';
import { storeUpload } from './store-upload.ts';

type Sealing = Pick<Request, 'owner' | 'requestId'>;

/** Makes a check of each page of the build, seals it, and deletes what waited for the seal. Safe to repeat. */
export const seal = async (deps: LighthouseCiDeps, request: Request, { id }: Build): Promise<Reply> => {
  const { owner, body } = request;
  if (body !== 'sealed') throw new ApiProblemError('invalid-request', 'The body must be the text "sealed" in JSON.');
  const build = await deps.builds.change(owner, id, ({ lifecycle, taken }) =>
    lifecycle === 'unsealed' && Object.keys(taken).length > 0 ? { set: { lifecycle: 'sealing' } } : undefined,
  );
  if (!build || build.lifecycle === 'unsealed')
    throw invalidBuild('The build has no reports. Upload some before its seal.');
  await endSeal(deps, request, build);
  return { status: 204 };
};

/** Completes a seal that has begun. Safe to repeat and to run concurrently. */
export const endSeal = async (deps: LighthouseCiDeps, sealing: Sealing, build: Build): Promise<void> => {
  const { builds, now } = deps;
  const { owner } = sealing;
  if (build.lifecycle === 'sealing' && (await storeChecks(deps, sealing, build))) {
    await discardUploads(deps, owner, build.id);
    const sealed = { set: { lifecycle: 'sealed', updatedAt: now().toISOString() }, remove: ['taken'] };
    await builds.change(owner, build.id, ({ lifecycle }) => (lifecycle === 'sealing' ? sealed : undefined));
  }
  for (const each of await builds.uploads(build)) await builds.removeUpload(build, each); // the checks have them, and their erasure must leave nothing
  await builds.removeUnsealed(owner, { id: build.id, since: build.createdAt });
};

/** Stores a check of each page of a build. Returns false if another request has sealed the build meanwhile. */
const storeChecks = async (deps: LighthouseCiDeps, { owner, requestId }: Sealing, build: Build): Promise<boolean> => {
  const { builds, store, now } = deps;
  const waiting = (await builds.uploads<UploadedSample>(build)).filter(({ reportId }) => build.taken[reportId]);
  if (waiting.length < Object.keys(build.taken).length) {
    const found = await builds.find(owner, build.id);
    if (found?.lifecycle === 'sealing') throw new Error(`the build ${build.id} lacks reports that it has taken`);
    return false;
  }
  const placeOf = ({ reportId }: { reportId: string }) => build.taken[reportId]?.place ?? 0;
  const uploads = waiting.toSorted((a, b) => placeOf(a) - placeOf(b));
  const label = (text: string) => cutText(text, 128);
  const labels = { branch: label(build.branch), commit: label(build.hash), build: build.id };
  for (const [id, [first, ...others]] of Map.groupBy(uploads, ({ checkId }) => checkId)) {
    const stored = await store.findOrErased(id, owner, now());
    if (stored && stored !== 'erased') await store.closeIfFinished(id, now());
    if (stored || !first) continue; // an earlier try of the seal stored it
    const createId = uuidv5(id, build.createId);
    const facts = { id, createId, runId: runIdOf(id), owner, url: first.url, labels, fingerprint: createId, requestId };
    await storeUpload(deps, { ...facts, uploads: [first, ...others] });
  }
  return true;
};

/** Deletes the reports, and their objects, that a build can't take any more. */
export const discardUploads = async ({ builds, reports }: LighthouseCiDeps, owner: string, id: string) => {
  const uploads = await builds.uploads({ id });
  const build = await builds.find(owner, id); // after the reports, so that none is of a later upload than the build
  if (build?.lifecycle === 'sealed') return; // its checks have them
  for (const each of uploads) {
    const isOfBuild = each.createId === build?.createId;
    if (isOfBuild && (build?.lifecycle === 'unsealed' || build?.taken[each.reportId])) continue;
    await reports.delete(each.report.key); // first, because the item names the object
    await builds.removeUpload({ id }, each);
  }
};
