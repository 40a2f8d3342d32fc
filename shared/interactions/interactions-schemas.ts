import { z } from 'zod';
import { InteractionChange } from '../comparison/schemas.ts';
import { MillisecondsText, valueView } from '../metrics/page-metrics-schemas.ts';
import { textName } from '../options/secrets.ts';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import { type EventTimes, eventParts } from './event-parts.ts';
import {
  acceptedInteractions,
  type Interaction,
  keyForm,
  MAX_HOLD_MS,
  MAX_INTERACTIONS,
  MAX_SCROLL,
  MAX_SELECTOR_LENGTH,
  MAX_STEPS,
  MAX_TYPED_LENGTH,
} from './interactions.ts';
import {
  type InteractionMetricName,
  type InteractionValues,
  interactionMetricNames,
  interactionMetrics,
} from './metrics.ts';
import { interactionsOfRecording, isRecording } from './recording.ts';

const said = { error: acceptedInteractions };
const text = (max: number) =>
  z
    .string(said)
    .max(max, said)
    .refine((value) => value.isWellFormed(), said);
const Selector = text(MAX_SELECTOR_LENGTH).min(1, said);
const Typed = text(MAX_TYPED_LENGTH);
const step = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, said);

const Place = z.strictObject(
  recordOf(['x', 'y'] as const, () => z.number(said).min(-MAX_SCROLL, said).max(MAX_SCROLL, said)),
  said,
);
const where = {
  or: z
    .array(Selector, said)
    .max(MAX_STEPS, said)
    .optional()
    .describe('Other selectors of the element, tried in their order.'),
  frame: z
    .array(z.int(said).min(0, said), said)
    .max(MAX_STEPS, said)
    .optional()
    .describe('Index of the frame, and of each frame in it.'),
};

const Step = z
  .union(
    [
      step({
        click: Selector,
        times: z.literal(2, said).optional().describe('A double click.'),
        offset: Place.optional().describe('Pixels from the top left corner of the element. Without it, its middle.'),
        duration: z
          .int(said)
          .min(1, said)
          .max(MAX_HOLD_MS, said)
          .optional()
          .describe('Milliseconds for which the mouse or the finger stays down.'),
        ...where,
      }),
      step({
        type: Selector,
        text: z.union([Typed, step({ secret: z.string(said).refine((name) => textName.test(name), said) })], said),
        ...where,
      }),
      step({ press: z.string(said).regex(keyForm, said) }),
      step({ scroll: z.int(said).min(-MAX_SCROLL, said).max(MAX_SCROLL, said) }),
      step({
        scroll: Selector,
        to: Place.optional().describe('Scrolls inside of the element, to this place.'),
        ...where,
      }),
      step({ hover: Selector, ...where }),
      step({ select: Selector, values: z.array(Typed, said).min(1, said).max(MAX_STEPS, said), ...where }),
      step({ waitFor: Selector, ...where }),
    ],
    said,
  )
  .meta({
    id: 'Step',
    description: 'One action. A selector is CSS, or begins with `text/`, `aria/`, `xpath/` or `pierce/`.',
  });

const InteractionList = z
  .array(
    z.strictObject(
      {
        name: z.string(said).regex(/^[a-z0-9._-]{1,32}$/, said),
        steps: z.array(Step, said).min(1, said).max(MAX_STEPS, said),
      },
      said,
    ),
    said,
  )
  .min(1, said)
  .max(MAX_INTERACTIONS, said) satisfies z.ZodType<Interaction[]>;

/** Interactions that a create accepts, or a recording of them. The function also refuses a repeated name. */
export const Interactions = z
  .preprocess((value, context) => {
    if (!isRecording(value)) return value;
    try {
      return interactionsOfRecording(value);
    } catch (error) {
      context.issues.push({ code: 'custom', message: (error as Error).message, input: value });
      return z.NEVER;
    }
  }, InteractionList)
  .meta({
    id: 'Interactions',
    description:
      "Interactions with the page after its load. Each has a name of its own, and is a Lighthouse timespan in every sample. The results are in `interactions` of each run. They are no part of the performance score. The JSON of a recording that Chrome's DevTools exports is accepted too.",
  });

/** Interactions as stored. Another release may know other steps. */
export const StoredInteractions = z.array(
  z.object({ name: z.string(), steps: z.array(z.custom<Interaction['steps'][number]>()) }),
);

type Fields<Of extends Record<'time' | 'shift', z.ZodType>> = {
  [Name in InteractionMetricName]: Of[(typeof interactionMetrics)[Name]['kind']];
};
const eachMetric = <Of extends Record<'time' | 'shift', z.ZodType>>(kinds: Of) =>
  z.object(recordOf(interactionMetricNames, (name) => kinds[interactionMetrics[name].kind]) as Fields<Of>);
const rangeOf = <Value extends z.ZodType>(value: Value) => z.object({ min: value, max: value }).nullable();

const Shift = z.number().min(0);
const Ms = z.number().min(0);

const scriptWith = <Time extends z.ZodType>(time: Time) =>
  z.object({
    url: z.string().describe('URL of the script, or of the document that has it.'),
    function: z.string().nullable().describe('Function that the browser called. Null if it has no name.'),
    inputDelay: time.describe('Time in which it ran before the handlers.'),
    processing: time.describe('Time in which it ran as a handler.'),
    presentation: time.describe('Time in which it ran before the paint.'),
  });
const Script = scriptWith(Ms);
/** A script that ran between an event and its paint. */
export type InteractionScript = z.infer<typeof Script>;

const withTimes = <Time extends z.ZodType>(time: Time) => {
  const values = eachMetric({ time: time.nullable(), shift: Shift.nullable() });
  return {
    values,
    result: z.object({
      name: z.string(),
      ...values.omit({ lcp: true }).shape,
      longestEvent: z
        .object({
          type: z.string().describe('Type of the event, such as `click`.'),
          selector: z.string().nullable().describe('CSS selector of its element. Null if nobody knows it.'),
          inputDelay: time.describe('Time until its handlers ran.'),
          processing: time.describe('Time in which its handlers ran.'),
          presentation: time.describe('Time from its handlers to the next paint.'),
          waited: time.describe('Time in which the main thread waited for a CPU of the host. No other part has it.'),
          scripts: z
            .array(scriptWith(time))
            .default([])
            .describe('Scripts that ran until then, those with the most time first. At most five.'),
        })
        .nullable()
        .describe('The event with the longest time to the next paint. Null if there was none.'),
      softNavigation: z
        .object({ url: z.string(), lcp: time.nullable(), cls: Shift.nullable() })
        .nullable()
        .describe('The route change that the interaction caused. Null if there was none.'),
      navigatedTo: z
        .string()
        .nullable()
        .describe('Another document to which the interaction led. Null if the page stayed.'),
      cpuSlowdown: z.number().describe('Factor by which the CPU of the page was slowed.'),
      samples: z.array(values).describe('Values of each sample. `lcp` is that of the route change.'),
      spread: eachMetric({ time: rangeOf(time), shift: rangeOf(Shift) })
        .nullable()
        .describe('Smallest and largest value of each metric, from two samples on.'),
      reason: z.string().nullable().describe('Why a value is missing or unsure. Null if there is no such value.'),
    }),
  };
};

/** Result of an interaction of a run, as stored. The shown values are those of the sample with the median INP. */
export const InteractionRun = withTimes(Ms).result;
export type InteractionRun = z.infer<typeof InteractionRun>;

const shown = withTimes(MillisecondsText).result;
/** Result of an interaction, as the API shows it. */
export const InteractionRunView = shown
  .extend({
    change: InteractionChange.nullable().describe(
      'Changes from that of `against`. Null if the check has one variant, or until the run has succeeded.',
    ),
    links: z.object({ report: z.string().nullable() }).describe('Relative URL of its timespan report.'),
  })
  .meta({ id: 'Interaction', description: 'Result of an interaction with the loaded page.' });
export type InteractionRunView = z.infer<typeof InteractionRunView>;

const valuesView = (values: InteractionValues) =>
  recordOf(interactionMetricNames, (name) =>
    values[name] === null ? null : valueView(interactionMetrics[name].kind, values[name]),
  );

const partsView = (parts: EventTimes) => recordOf(eventParts, (part) => valueView('time', parts[part]));

/** The link to the report of an interaction, and its changes from the other variant. */
export type BesidesInteraction = { report: string | null; change: InteractionChange | null };

/** Returns the result of an interaction as the API shows it. */
export const interactionView = (
  { longestEvent, softNavigation, samples, spread, ...result }: InteractionRun,
  { report, change }: BesidesInteraction,
): InteractionRunView =>
  ({
    name: result.name,
    ...pick(valuesView({ ...result, lcp: null }), ['inp', 'tbt', 'cls']),
    longestEvent: longestEvent && {
      ...pick(longestEvent, ['type', 'selector']),
      ...partsView(longestEvent),
      waited: valueView('time', longestEvent.waited),
      scripts: longestEvent.scripts.map((script) => ({ ...pick(script, ['url', 'function']), ...partsView(script) })),
    },
    softNavigation: softNavigation && {
      ...softNavigation,
      lcp: softNavigation.lcp === null ? null : valueView('time', softNavigation.lcp),
    },
    ...pick(result, ['navigatedTo', 'cpuSlowdown']),
    samples: samples.map(valuesView),
    spread:
      spread &&
      recordOf(interactionMetricNames, (name) => {
        const range = spread[name];
        const { kind } = interactionMetrics[name];
        return range && { min: valueView(kind, range.min), max: valueView(kind, range.max) };
      }),
    reason: result.reason,
    change,
    links: { report },
  }) as InteractionRunView;
