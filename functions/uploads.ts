import { randomUUID } from 'node:crypto';
import { asCreated } from '../shared/check.ts';
import { ApiProblemError } from '../shared/problems.ts';
import { ELSEWHERE } from '../shared/regions.ts';
import type { OwnerCaller } from '../shared/service/keys.ts';
import { routeOf } from '../shared/service/routes.ts';
import { medianSample } from './auditor/verdict/samples.ts';
import { withDeadline } from './lib/aws-client.ts';
import { type Access, access } from './lib/http/access.ts';
import { permitCreate } from './lib/http/create-limits.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { deriveCheckId, deriveRunIds, parseIdempotencyKey, replyToSame } from './lib/http/idempotency.ts';
import type { Sender } from './lib/http/request-log.ts';
import type { Reply } from './lib/http/response.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { slots } from './lib/slots.ts';
import { buildStore } from './lib/store/builds.ts';
import { checkStore } from './lib/store/checks.ts';
import { reports as reportStore } from './lib/store/reports.ts';
import { usageStore } from './lib/store/usage.ts';
import { inThread } from './lib/thread/in-thread.ts';
import type { LighthouseCiDeps } from './lib/uploads/build-parts.ts';
import { LIGHTHOUSE_CI_VERSION, lighthouseCi, projectOf } from './lib/uploads/lighthouse-ci.ts';
import { readReports } from './lib/uploads/read-upload.ts';
import { storeReport, storeUpload } from './lib/uploads/store-upload.ts';
import { sentUpload } from './lib/uploads/upload-body.ts';
import { parseUploadQuery } from './lib/uploads/upload-query.ts';

/** POST /v1/reports, and the routes of Lighthouse CI's server: take in reports that were made elsewhere, as checks. */
export const handler = http('uploads', (env) => {
  const db = closingDb(env, undefined);
  const deps = {
    store: checkStore(db),
    builds: buildStore(db),
    usage: usageStore(db),
    reports: reportStore(env),
    maxBytes: env.MAX_UPLOAD_BYTES,
    retentionDays: env.RETENTION_DAYS,
    trendDays: env.TREND_DAYS,
    medianOf: medianSample,
    newId: randomUUID,
    now: () => new Date(),
    access: access(() => env),
  };
  return uploads(deps as UploadsDeps);
});

/** Reports that this process unpacks and reads at once. Each takes many times the memory of its body. */
const REPORTS_AT_ONCE = 2;

type UploadsDeps = LighthouseCiDeps & { access: Access<Sender> };

export const uploads = (deps: UploadsDeps) => {
  const ofLighthouseCi = lighthouseCi(deps);
  const turn = slots(REPORTS_AT_ONCE);
  const inTurn = async (request: Request, handle: (request: Request) => Promise<Reply>): Promise<Reply> => {
    const { owner, signal = new AbortController().signal, remainingMs = () => 10_000 } = request;
    const release = await turn(signal, { owner }); // nobody reads a report whose client is gone
    return withDeadline(0.8 * remainingMs(), () => handle(request)).finally(release); // a turn may come late
  };
  return async (request: Request<Sender>): Promise<Reply> => {
    if (request.path === '/version') return version();
    if (request.path.startsWith('/app/')) return checksOf(request);
    if (request.path === '/v1/projects/lookup') return findProject(deps, request);
    const owned = request as Request;
    if (request.path === '/v1/reports') return inTurn(owned, (each) => createReport(deps, each));
    return request.method === 'POST' ? inTurn(owned, ofLighthouseCi) : ofLighthouseCi(owned);
  };
};

/** Leads from the address of a build that the uploader prints to the checks of the build. */
const checksOf = ({ params }: Request<Sender>): Reply => ({
  status: 303,
  headers: { location: `/?${new URLSearchParams({ label: `build:${params.buildId}` })}` },
});

const version = (): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from(LIGHTHOUSE_CI_VERSION),
});

/** Finds the project of a token, which is an API key. */
const findProject = async ({ access, builds }: UploadsDeps, { body, headers }: Request<Sender>): Promise<Reply> => {
  const { token } = Object(body) as { token?: unknown };
  if (typeof token !== 'string' || token === '')
    throw new ApiProblemError('invalid-request', 'The body needs the field token, with an API key.');
  const { scope } = routeOf('POST /v1/reports');
  const caller = await access({ scope }, { ...headers, authorization: `Bearer ${token}` }).catch((error) => {
    if (error instanceof ApiProblemError && error.code === 'unauthorized')
      throw new ApiProblemError('not-found', `No project has this token. ${error.message}`);
    throw error;
  });
  return { status: 200, body: await projectOf(builds, (caller as OwnerCaller).owner) };
};

/** POST /v1/reports: stores one Lighthouse result, or several of one page, as a check. */
const createReport = async (deps: UploadsDeps, request: Request): Promise<Reply> => {
  const { owner, plan, requestId } = request;
  const { newId, now, store } = deps;
  const { url, labels } = parseUploadQuery(request);
  const key = parseIdempotencyKey(request.headers);
  const sent = sentUpload(request, deps.maxBytes);
  const inputs = JSON.stringify([url, labels]);
  const { fingerprint, reports } = await inThread({ readReports }, request.body as Buffer, sent, inputs);
  const samples = reports.map(({ results }) => results);
  const [first] = samples as [(typeof samples)[number], ...typeof samples];
  if (samples.some(({ auditVersion, device }) => auditVersion !== first.auditVersion || device !== first.device))
    throw new ApiProblemError('invalid-request', 'The reports differ in the version of Lighthouse or in the device.');
  if (url === undefined && samples.some(({ finalUrl }) => finalUrl !== first.finalUrl))
    throw new ApiProblemError(
      'invalid-request',
      'The reports are of several pages. Send one request for each, or url.',
    );
  const id = key === undefined ? newId() : deriveCheckId(owner, `report\n${key}`);
  const earlier = key === undefined ? undefined : await store.findOrErased(id, owner, now());
  if (earlier) return replyToSame(earlier, ({ item }) => item.fingerprint === fingerprint);
  // Each create with this key and body writes the same items, so that one that was cut off or runs beside another is repeated.
  const createId = key === undefined ? newId() : deriveCheckId(id, fingerprint);
  const [runId = id] = deriveRunIds(id, [ELSEWHERE], key === undefined ? '' : fingerprint);
  const permit = await permitCreate(deps.usage, { owner, ...(plan && { plan }) }, { id, createId, audits: 1 }, now());
  await permit.settle();
  const uploaded = [];
  for (const { results, ...read } of reports) {
    const report = await storeReport(deps, { checkId: id, runId }, read);
    uploaded.push({ url: url ?? first.finalUrl, report, results });
  }
  const check = await storeUpload(deps, {
    id,
    createId,
    runId,
    owner,
    labels,
    fingerprint,
    requestId,
    url: url ?? first.finalUrl,
    uploads: uploaded as unknown as Parameters<typeof storeUpload>[1]['uploads'],
  });
  if (!check) {
    const other = await store.findOrErased(id, owner, now());
    if (!other) throw new Error(`could not store the check ${id}: another one has its id`);
    return replyToSame(other, ({ item }) => item.fingerprint === fingerprint);
  }
  return { status: 201, headers: { location: `/v1/checks/${id}`, ...permit.headers }, body: asCreated(check) };
};
