import { z } from 'zod';
import { textName } from '../options/secrets.ts';
import { cutText } from '../text.ts';
import {
  INTERACTION_MS,
  type Interaction,
  MAX_HOLD_MS,
  MAX_INTERACTIONS,
  MAX_SELECTOR_LENGTH,
  MAX_STEPS,
  modifierKeys,
  namedKeys,
  type Step,
  type Where,
} from './interactions.ts';

/*
 * A recording of Chrome's DevTools Recorder. Format: https://github.com/puppeteer/replay/blob/main/docs/api/interfaces/Schema.UserFlow.md
 */

const Selectors = z.array(z.union([z.string(), z.array(z.string()).min(1)])).min(1);
const RecordedStep = z.looseObject({
  type: z.string(),
  url: z.string().optional(),
  target: z.string().optional(),
  selectors: Selectors.optional(),
  value: z.union([z.string(), z.strictObject({ secret: z.string().regex(textName) })]).optional(), // a secret one is an addition of ours
  key: z.string().optional(),
  button: z.string().optional(),
  deviceType: z.string().optional(),
  offsetX: z.number().optional(),
  offsetY: z.number().optional(),
  duration: z.number().optional(),
  frame: z.array(z.int().min(0)).optional(),
  timeout: z.number().optional(),
  operator: z.string().optional(),
  count: z.number().optional(),
  x: z.number().optional(),
  y: z.number().optional(),
});
type RecordedStep = z.infer<typeof RecordedStep>;
const Recording = z.looseObject({ title: z.string(), steps: z.array(RecordedStep).min(1) });

/** Returns true for what looks like a recording. */
export const isRecording = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'steps' in value;

/** Parts of a recording without a counterpart. The check's device has the screen and the network. */
const IGNORED = ['setViewport', 'emulateNetworkConditions', 'close'];

type Reader = { steps: Step[]; held: string[]; scrolledTo: { x: number; y: number } };

const located = ['selectors', 'frame'];
const clicked = [...located, 'button', 'deviceType', 'offsetX', 'offsetY', 'duration'];
/** Fields that each type of step carries. Any other field is refused by its name. */
const carried: Record<string, readonly string[]> = {
  navigate: ['url'],
  click: clicked,
  doubleClick: clicked,
  hover: located,
  change: [...located, 'value'],
  scroll: [...located, 'x', 'y'],
  keyDown: ['key'],
  keyUp: ['key'],
  waitForElement: [...located, 'operator', 'count', 'visible'],
};
/** Fields of every step. `navigatedTo` of the result has what `assertedEvents` expects. */
const ofEach = ['type', 'target', 'timeout', 'assertedEvents', 'description'];

/**
 * Returns the interactions of a recording, each with as many steps as one may have. Throws an error that names the step that
 * has no counterpart: steps with code, and those for another tab.
 */
export const interactionsOfRecording = (value: unknown): Interaction[] => {
  const parsed = Recording.safeParse(value);
  if (!parsed.success) throw new Error(faultOf(value, parsed.error.issues[0]?.path ?? []));
  const reader: Reader = { steps: [], held: [], scrolledTo: { x: 0, y: 0 } };
  for (const [i, step] of parsed.data.steps.entries()) {
    const fault = read(reader, step);
    if (fault) throw new Error(`${placeOf(i, step.type)} ${fault}`);
  }
  const { steps } = reader;
  if (steps.length === 0) throw new Error('The recording has no step after its navigation. Record what you do then.');
  const parts = Array.from({ length: Math.ceil(steps.length / MAX_STEPS) }, (_, i) =>
    steps.slice(i * MAX_STEPS, (i + 1) * MAX_STEPS),
  );
  if (parts.length > MAX_INTERACTIONS)
    throw new Error(`The recording has ${steps.length} steps. Send at most ${MAX_INTERACTIONS * MAX_STEPS}.`);
  const name = nameOf(parsed.data.title);
  return parts.map((part, i) => ({ name: parts.length > 1 ? `${name}-${i + 1}` : name, steps: part }));
};

const placeOf = (index: number, type: unknown): string =>
  `Step ${index + 1} of the recording${typeof type === 'string' ? ` (${cutText(type, 40)})` : ''}`;

const NO_RECORDING = 'The object is no recording of Chrome DevTools.';
/** Says which field of a recording is wrong. */
const faultOf = (value: unknown, [first, index, ...path]: readonly PropertyKey[]): string => {
  if (first !== 'steps' || typeof index !== 'number') return `${NO_RECORDING} Its field ${String(first)} is wrong.`;
  const { type } = Object((value as { steps: unknown[] }).steps[index]);
  const field = path.length > 0 ? `has a wrong field ${path.map(String).join('.')}.` : 'is no object.';
  return `${placeOf(index, type)} ${field} Export the recording again as JSON.`;
};
const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 28)
    .replace(/^-|-$/g, '') || 'recording';

/** Adds the counterpart of a step. Returns why there is none. */
const read = (reader: Reader, step: RecordedStep): string | undefined => {
  if (IGNORED.includes(step.type)) return undefined;
  if (step.target !== undefined && step.target !== 'main')
    return 'is for another tab, or for a frame of another site. Record one page only.';
  const add = readers[step.type];
  if (!add) return `${OF_CODE.includes(step.type) ? 'carries code' : 'has no counterpart'}. Remove the step.`;
  const unknown = Object.keys(step).find((name) => ![...ofEach, ...(carried[step.type] ?? [])].includes(name));
  if (unknown !== undefined)
    return `has the field ${cutText(unknown, 40)}, which has no counterpart. Remove the field.`;
  if (step.type !== 'navigate' && (step.timeout ?? 0) > INTERACTION_MS)
    return `has a timeout of more than ${INTERACTION_MS} ms, the time of all steps. Lower the timeout.`;
  return add(reader, step);
};
const OF_CODE = ['waitForExpression', 'customStep'];

const withSelector =
  (toStep: (selector: string, step: RecordedStep, where: Where) => Step | string) =>
  ({ steps }: Reader, step: RecordedStep): string | undefined => {
    const [selector, ...or] = selectorsOf(step);
    if (selector === undefined) return 'has no selector of one kind. Record it with CSS selectors.';
    const where = { ...(or.length > 0 && { or }), ...(step.frame?.length && { frame: step.frame }) };
    const added = toStep(selector, step, where);
    if (typeof added === 'string') return added;
    steps.push(added);
    return undefined;
  };

const readers: Record<string, (reader: Reader, step: RecordedStep) => string | undefined> = {
  navigate: ({ steps }) => (steps.length > 0 ? 'navigates elsewhere. Audit that page by another check.' : undefined),
  click: withSelector(
    (selector, step, where) => clickOf(step) ?? { click: selector, ...placeAndTimeOf(step), ...where },
  ),
  doubleClick: withSelector(
    (selector, step, where) => clickOf(step) ?? { click: selector, times: 2, ...placeAndTimeOf(step), ...where },
  ),
  hover: withSelector((selector, _, where) => ({ hover: selector, ...where })),
  change: withSelector((selector, { value }, where) =>
    value === undefined ? 'has no value. Record it again.' : { type: selector, text: value, ...where },
  ),
  waitForElement: withSelector((selector, { visible, operator = '==', count = 1 }, where) => {
    if (visible === false) return 'waits until an element is hidden. Remove the step.';
    return ['>=', '=='].includes(operator) && count === 1
      ? { waitFor: selector, ...where }
      : 'waits by operator and count. Only the wait for a visible element has a counterpart.';
  }),
  scroll: (reader, step) => {
    const { x, y, selectors, frame = [] } = step;
    const to = { x: x ?? 0, y: y ?? 0 };
    if (selectors) {
      const isPlaced = x !== undefined || y !== undefined;
      return withSelector((selector, _, where) => ({ scroll: selector, ...(isPlaced && { to }), ...where }))(
        reader,
        step,
      );
    }
    if (frame.length > 0) return void reader.steps.push({ scroll: ':root', to, frame });
    const by = Math.round(to.y - reader.scrolledTo.y);
    if (to.x !== reader.scrolledTo.x) reader.steps.push({ scroll: ':root', to });
    else if (by !== 0) reader.steps.push({ scroll: by });
    reader.scrolledTo = to;
    return undefined;
  },
  keyDown: ({ held, steps }, { key }) => {
    if (!key) return 'has no key. Record it again.';
    if ((modifierKeys as readonly string[]).includes(key)) held.push(key);
    else if ((namedKeys as readonly string[]).includes(nameOfKey(key)) || /^[!-~]$/.test(key))
      steps.push({ press: [...held, nameOfKey(key)].join('+') });
    else return `presses the unknown key ${JSON.stringify(key)}. Remove the step.`;
    return undefined;
  },
  keyUp: ({ held }, { key = '' }) => {
    if (held.includes(key)) held.splice(held.indexOf(key), 1);
    return undefined;
  },
};

/** Returns why a click has no counterpart. The check's device decides between a finger and the mouse. */
const clickOf = ({ button = 'primary', deviceType = 'mouse', duration = 0 }: RecordedStep): string | undefined => {
  if (!(duration >= 0 && duration <= MAX_HOLD_MS))
    return `has a duration that is not from 0 to ${MAX_HOLD_MS} ms. Change the duration.`;
  if (button !== 'primary') return 'clicks with another button than the primary one. Remove the step.';
  return ['mouse', 'touch'].includes(deviceType) ? undefined : 'clicks with a pen. Set its deviceType to mouse.';
};

const placeAndTimeOf = ({ offsetX, offsetY, duration = 0 }: RecordedStep) => ({
  ...(offsetX !== undefined && offsetY !== undefined && { offset: { x: offsetX, y: offsetY } }),
  ...(Math.round(duration) > 0 && { duration: Math.round(duration) }),
});

const nameOfKey = (key: string): string => (key === ' ' ? 'Space' : key);

/** Returns the selectors of an element: those of one part, then those of CSS through shadow roots. */
const selectorsOf = ({ selectors = [] }: RecordedStep): string[] => {
  const chains = selectors.map((each) => (typeof each === 'string' ? [each] : each));
  const single = chains.filter(({ length }) => length === 1).flat();
  const ofCss = chains.filter(
    (chain) => chain.length > 1 && chain.every((part) => !/^(aria|text|xpath|pierce)\//.test(part)),
  );
  const all = [...single, ...ofCss.map((chain) => chain.join(' >>> '))];
  const [first, ...others] = all;
  const fitting = others.filter(({ length }) => length <= MAX_SELECTOR_LENGTH); // a long one only repeats the others
  return first === undefined ? [] : [first, ...fitting.slice(0, MAX_STEPS)];
};
