import { z } from 'zod';
import { ignoredParameters } from '../page-speed.ts';
import { recordOf } from '../record.ts';
import type { Operations } from './operation.ts';

const text = z.string().optional();

/** An answer in the shape of PageSpeed's API. */
const PageSpeedResult = z
  .looseObject({
    kind: z.string().describe('`pagespeedonline#result`.'),
    captchaResult: z.string(),
    id: z.string().describe('The page that was measured, after redirects.'),
    loadingExperience: z.looseObject({ initial_url: z.string() }),
    originLoadingExperience: z.looseObject({ initial_url: z.string() }),
    lighthouseResult: z.looseObject({}).describe('The full Lighthouse result.'),
    analysisUTCTimestamp: z.string(),
  })
  .partial() // a field mask leaves parts out
  .meta({ id: 'PageSpeedResult', description: 'A result in the shape of PageSpeed Insights, version 5.' });

const oneError = { message: 'Send the address of a page.', domain: 'global', reason: 'badRequest' };
/** An error in the shape of Google's APIs. */
const GoogleError = z
  .object({
    error: z.object({
      code: z.number().int().describe('The HTTP status.'),
      message: z.string(),
      errors: z.array(z.looseObject({ message: z.string(), domain: z.string(), reason: z.string() })),
      status: z.string().optional(),
    }),
  })
  .meta({ id: 'GoogleError', description: "An error in the shape of Google's APIs." });

/** The documentation of PageSpeed's API. */
export const pageSpeedOperations = {
  'GET /pagespeedonline/v5/runPagespeed': {
    tag: 'Checks',
    operationId: 'runPagespeed',
    summary: "Audit a page with a client of PageSpeed Insights' API",
    description:
      "Creates a check of one region with the label `client=psi`, waits for its end, and returns its report. An error has Google's shape, `{ error: { code, message, errors } }`, and not that of a problem document. A 503 says that the audit goes on: within ten minutes, the same request gets its result.",
    query: {
      url: z.string().describe('The page.'),
      strategy: text.describe('`mobile` or `desktop`, in any case. Default: `desktop`.'),
      category: z
        .array(z.string())
        .optional()
        .describe('Categories, in the words of Google or ours. Repeat it for several. Default: `performance`.'),
      locale: text.describe('A language. Every answer is in English.'),
      key: text.describe(
        'An API key. It may also be in the header `X-Goog-Api-Key`, or a bearer token in `Authorization`.',
      ),
      region: text.describe('The region. Default: the first one of the deployment.'),
      version: text.describe('The version of Lighthouse. Default: `latest`.'),
      samples: text.describe('Audits of the run, 1 to 15. Default: 1.'),
      alt: text.describe('`json`.'),
      fields: text.describe('A field mask: the answer has these parts only, such as `id,lighthouseResult/categories`.'),
      ...recordOf(ignoredParameters, () => text.describe('Has no effect.')),
    },
    answers: {
      200: {
        description: 'The result.',
        schema: PageSpeedResult,
        example: {
          captchaResult: 'CAPTCHA_NOT_NEEDED',
          kind: 'pagespeedonline#result',
          id: 'https://example.com/',
          loadingExperience: { initial_url: 'https://example.com/' },
          originLoadingExperience: { initial_url: 'https://example.com/' },
          lighthouseResult: { lighthouseVersion: '13.5.0' },
          analysisUTCTimestamp: '2026-11-21T09:30:00.000Z',
        },
      },
    },
    error: {
      schema: GoogleError,
      example: { error: { code: 400, message: oneError.message, errors: [oneError] } },
    },
    problems: [
      ...(['unsupported-region', 'unsupported-audit-version', 'forbidden-target', 'not-found'] as const),
      ...(['report-unavailable', 'being-erased', 'not-comparable', 'too-many-requests'] as const),
    ],
  },
} as const satisfies Partial<Operations>;
