import { z } from 'zod';
import { Region } from '../name-schemas.ts';
import { MAX_ENTRIES } from './bounds.ts';

const MetricVerdict = z.enum(['improved', 'regressed', 'same', 'unknown']);

const PerformancePoints = z.object({
  base: z.number().nullable().describe('Score of the base before it is rounded, 0 to 100.'),
  value: z.number().nullable(),
  change: z.number().nullable().describe('The sum of `points`.'),
});

const MetricPoints = z
  .object({
    metric: z.string().describe('Name of the metric, such as `lcp`.'),
    base: z.number().nullable().describe('Value of the base: milliseconds, or unitless for `cls`.'),
    value: z.number().nullable(),
    points: z.number().describe('Weight × (score − score of the base).'),
    verdict: MetricVerdict,
  })
  .meta({ id: 'MetricPoints', description: 'How many points of the performance score a metric gained or lost.' });
export type MetricPoints = z.infer<typeof MetricPoints>;

const RequestChange = z
  .object({
    url: z.string(),
    type: z.string().describe("Chromium's resource type, such as `Script`."),
    thirdParty: z.boolean(),
    blocking: z.boolean().describe('True if the request blocks the first paint.'),
    baseBytes: z.int().nullable().describe('Bytes received in the report of the base. Null if it has no such request.'),
    bytes: z.int().nullable(),
    baseMs: z.int().nullable().describe('Duration of the request, as measured without throttling.'),
    ms: z.int().nullable(),
  })
  .meta({ id: 'RequestChange', description: 'A request that differs between two reports.' });
export type RequestChange = z.infer<typeof RequestChange>;

const requestLists = ['added', 'gone', 'larger', 'smaller', 'slower', 'faster'] as const;
export type RequestList = (typeof requestLists)[number];
const Requests = z.object(
  Object.fromEntries(requestLists.map((name) => [name, z.array(RequestChange)])) as Record<
    RequestList,
    z.ZodArray<typeof RequestChange>
  >,
);

const ScriptChange = z
  .object({
    url: z.string().describe('The script or document. Lighthouse calls work without a script `Unattributable`.'),
    thirdParty: z.boolean(),
    baseMs: z.int().nullable().describe('Time on the main thread. Null if it is less than 50 ms.'),
    ms: z.int().nullable(),
  })
  .meta({ id: 'ScriptChange', description: 'A script whose time on the main thread differs.' });
export type ScriptChange = z.infer<typeof ScriptChange>;

const PageElement = z.object({ selector: z.string().nullable(), snippet: z.string().nullable() });
export type PageElement = z.infer<typeof PageElement>;

const AuditChange = z
  .object({
    audit: z.string(),
    category: z.string(),
    title: z.string(),
    outcome: z.enum(['failed', 'passed']).describe('The outcome now. It was the other one.'),
    base: z.number().nullable().describe('Score, 0 to 1. Null if the audit did not apply.'),
    value: z.number().nullable(),
  })
  .meta({ id: 'AuditChange', description: 'An audit that passed and fails now, or the other way round.' });
export type AuditChange = z.infer<typeof AuditChange>;

const ElementChange = z
  .object({
    audit: z.string(),
    category: z.string(),
    title: z.string(),
    change: z.enum(['new', 'gone']).describe('Whether the finding is new or gone.'),
    ...PageElement.shape,
    url: z.string().nullable(),
  })
  .meta({ id: 'ElementChange', description: 'An element or address that an audit finds in one of two reports only.' });
export type ElementChange = z.infer<typeof ElementChange>;

const milliseconds = z.int();
const EventParts = z.object({
  inputDelayMs: milliseconds.describe('Time before the handlers.'),
  processingMs: milliseconds.describe('Time of the handlers.'),
  presentationMs: milliseconds.describe('Time from the handlers to the next paint.'),
});
export type EventParts = z.infer<typeof EventParts>;

const pair = <T extends z.ZodType>(value: T) => z.object({ base: value.nullable(), value: value.nullable() });

const InteractionExplanation = z
  .object({
    name: z.string(),
    verdict: MetricVerdict,
    changeMs: z.int().describe('The change of its INP that the comparison estimates.'),
    event: pair(z.object({ type: z.string(), selector: z.string().nullable(), ...EventParts.shape })).describe(
      'The longest event of the shown samples.',
    ),
    scripts: z
      .array(
        z.object({
          url: z.string(),
          function: z.string().nullable().describe('The function with the most time. Null if it has no name.'),
          thirdParty: z.boolean(),
          ...pair(EventParts).shape,
        }),
      )
      .describe('Scripts whose time in this event differs, the largest difference first.'),
  })
  .meta({ id: 'InteractionExplanation', description: 'Which scripts changed the longest event of an interaction.' });
export type InteractionExplanation = z.infer<typeof InteractionExplanation>;

/** Why the page of one region differs from its base. */
export const Explanation = z
  .object({
    sentence: z.string().describe('The changes that have a verdict, with their likely causes.'),
    performance: PerformancePoints,
    points: z.array(MetricPoints).describe('They add up to `performance.change`.'),
    requests: Requests,
    mainThread: z.array(ScriptChange),
    lcpElement: z
      .object({ changed: z.boolean(), base: PageElement, value: PageElement })
      .nullable()
      .describe('Null if a report does not name the element.'),
    layoutShifts: z
      .array(z.object({ ...PageElement.shape, base: z.number().nullable(), value: z.number().nullable() }))
      .describe('Elements that moved, with their part of the layout shift.'),
    audits: z.array(AuditChange),
    elements: z.array(ElementChange).describe('Findings of accessibility, best practices, SEO and the like.'),
    document: z.object({
      redirects: pair(z.int()),
      serverResponseMs: pair(z.int()),
    }),
    caching: z
      .array(z.object({ url: z.string(), baseSeconds: z.int().nullable(), seconds: z.int().nullable() }))
      .describe('Files whose cache lifetime became shorter or longer. Null means a lifetime that is long enough.'),
    interactions: z.array(InteractionExplanation).describe('Interactions whose INP has a verdict of a change.'),
    omitted: z.record(z.string(), z.int()).describe('Number of further entries, by the list that left them out.'),
  })
  .meta({
    id: 'Explanation',
    description: `Why two results differ. Times of scripts and requests appear only if a metric of speed has a verdict. Each list has at most ${MAX_ENTRIES} entries.`,
  });
export type Explanation = z.infer<typeof Explanation>;

export const CheckExplanation = z
  .object({
    checkId: z.uuid(),
    baseCheckId: z.uuid(),
    comparable: z.boolean(),
    regions: z.partialRecord(Region, Explanation),
  })
  .meta({ id: 'CheckExplanation', description: 'Why a check differs from its base, region by region.' });
export type CheckExplanation = z.infer<typeof CheckExplanation>;
