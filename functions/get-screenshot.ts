import { ApiProblemError } from '../shared/problems.ts';
import type { Caller } from '../shared/service/keys.ts';
import type { Filmstrip } from '../shared/service/offer.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import type { RunLookup } from './lib/http/lookup.ts';
import { acceptsGzip, matchesEtag } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';
import { findReport } from './lib/http/stored-report.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type Reports, reports, tagOf } from './lib/store/reports.ts';
import { inThread } from './lib/thread/in-thread.ts';
import { type PictureAudits, picturesIn } from './lib/thread/report-tasks.ts';

/** GET …/runs/{runId}/screenshot and …/filmstrip: return the images of the page that the run's report contains. */
export const handler = http('get-screenshot', (env) =>
  getScreenshot({ store: checkStore(openDb(env)), reports: reports(env) }),
);

type Deps = RunLookup & {
  reports: Pick<Reports, 'get' | 'exists'>;
};

export const getScreenshot =
  (deps: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const filmstrip = request.path.endsWith('/filmstrip');
    const { report, read } = await findReport(deps, request);
    const form = filmstrip && acceptsGzip(request.headers['accept-encoding']) ? '-gzip' : ''; // images stay as they are
    const etag = `"${tagOf(report.key)}-${filmstrip ? 'filmstrip' : 'screenshot'}${form}"`;
    const headers = { etag, ...(filmstrip && { vary: 'Accept-Encoding' }), 'cache-control': 'private, no-cache' };
    if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
    const audits = await inThread({ picturesIn }, await read());
    if (filmstrip) return { status: 200, headers, body: { frames: framesOf(audits) } };
    const body = jpegOf(audits['final-screenshot']?.details?.data);
    if (!body) throw noImages();
    return { status: 200, headers: { ...headers, 'content-type': 'image/jpeg' }, body };
  };

/** Returns the images in the order of time. `timing` is in milliseconds since the start of the navigation. */
const framesOf = (audits: PictureAudits): Filmstrip['frames'] => {
  const items = audits['screenshot-thumbnails']?.details?.items ?? [];
  if (items.length === 0) throw noImages();
  return items.filter(({ data }) => jpegOf(data)).map(({ timing, data }) => ({ timing, image: data }));
};

/** Returns the bytes of a data URL, or undefined if it is no JPEG image. */
const jpegOf = (dataUrl: string | undefined): Buffer | undefined => {
  const [, base64] = /^data:image\/jpeg;base64,([A-Za-z0-9+/=]+)$/.exec(dataUrl ?? '') ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
};

const noImages = () =>
  new ApiProblemError(
    'report-unavailable',
    'The report has no images. Lighthouse takes them only if it measures performance.',
  );
