import { type CheckInputs, CheckView, checkView } from '../../shared/check.ts';
import { compareVariants } from '../../shared/comparison/variants.ts';
import type { RunProblemCode } from '../../shared/problems.ts';
import { allRegions } from '../../shared/regions.ts';
import { checkWith, failed, otherVariant, samplesOf, succeeded } from './check-results.ts';
import { environment } from './environment.ts';
import { startFakeService } from './fake-service.ts';

/** The page of every check. */
export const page = 'https://shop.example/';
const origins = ['https://shop.example', 'https://ads.example', 'https://chat.example', 'https://cdn.example'];
export const request = (url: string, transferSize: number, resourceType = 'Script') => ({
  url,
  transferSize,
  resourceType,
});

/** The report of a page with three third parties. `ads` needs the most time, and `cdn` the most bytes. */
export const report = {
  auditVersion: '13.5.0',
  requestedUrl: page,
  mainDocumentUrl: page,
  entities: origins.map((origin, i) => ({ name: new URL(origin).host, isFirstParty: i === 0, origins: [origin] })),
  categories: { performance: { title: 'Performance', score: 1, auditRefs: [] } },
  audits: {
    'network-requests': {
      details: {
        items: [
          request(page, 1000, 'Document'),
          request('https://ads.example/a.js', 2000),
          request('https://ads.example/frame', 500, 'Document'),
          request('https://chat.example/c.js', 3000),
          request('https://cdn.example/i.png', 90_000, 'Image'),
        ],
      },
    },
    'bootup-time': {
      details: {
        items: [
          { url: 'https://ads.example/a.js', total: 900 },
          { url: 'https://chat.example/c.js', total: 100 },
        ],
      },
    },
  },
};

type Body = CheckInputs;
const stored = { key: 'reports/a', bytes: 1, gzipBytes: 1 };

/** Starts a service whose checks are finished at once. With an ad blocker the page is faster. */
export const startVariants = async ({
  of = (() => report) as (url: URL) => object,
  failing = undefined as RunProblemCode | undefined,
  contended = false,
  places = ['Oregon'],
  whileCreating = () => {},
} = {}) => {
  const bodies: Body[] = [];
  const idOf = (i: number) => `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`;
  const checkAt = (i: number) => {
    const body = bodies[i] as Body;
    const isFast = body.blockedUrlPatterns?.some((pattern) => pattern.includes('ads.example'));
    const [slow, fast] = [samplesOf('slower', 0, 5), samplesOf('unchanged', 3, 5)];
    const run =
      failing && body.against
        ? failed(failing)
        : succeeded(isFast ? fast : slow, { environment: { ...environment, contended } });
    return checkWith(
      {
        'us-west1': {
          ...run,
          ...(run.state === 'succeeded' && { report: stored }),
          ...(body.against && otherVariant({ url: page, samples: body.against.url ? fast : slow })),
        },
      },
      { ...body, auditVersion: '13.5.0', id: idOf(i) },
    );
  };
  const viewAt = (i: number) => CheckView.parse(checkView(checkAt(i)));
  const indexIn = ({ pathname }: URL) => Number(/0000(\d{4})-/.exec(pathname)?.[1]);
  const lcpElement = { changed: true, base: { selector: 'img.ad' }, value: { selector: 'h1' } };
  const service = await startFakeService({
    create: (_, body) => {
      whileCreating();
      return viewAt(bodies.push(body as Body) - 1);
    },
    get: (url) => viewAt(indexIn(url)),
    report: of,
    regions: () => ({ regions: places.map((place, i) => ({ id: allRegions[i], place })) }),
    comparison: (url) => compareVariants(checkAt(indexIn(url))) ?? 'not-comparable',
    explanation: () => ({ regions: { 'us-west1': { sentence: 'The sentence.', lcpElement } } }),
  });
  return { ...service, bodies };
};
