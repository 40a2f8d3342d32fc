import { z } from 'zod';
import { textName } from '../options/secrets.ts';
import { cutText } from '../text.ts';
import { type Interaction, MAX_INTERACTIONS, MAX_STEPS, modifierKeys, namedKeys, type Step } from './interactions.ts';

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

type Reader = { steps: Step[]; held: string[]; scrolledTo: number };

/**
 * Returns the interactions of a recording, each with as many steps as one may have. Throws an error that names the step that
 * has no counterpart: steps with code, and those for another tab.
 */
export const interactionsOfRecording = (value: unknown): Interaction[] => {
  const parsed = Recording.safeParse(value);
  if (!parsed.success) throw new Error(faultOf(value, parsed.error.issues[0]?.path ?? []));
  const reader: Reader = { steps: [], held: [], scrolledTo: 0 };
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
  return add(reader, step);
};
const OF_CODE = ['waitForExpression', 'customStep'];

const withSelector =
  (toSteps: (selector: string, step: RecordedStep) => Step[] | string) =>
  ({ steps }: Reader, step: RecordedStep): string | undefined => {
    const selector = selectorOf(step);
    if (selector === undefined) return 'has no selector of one kind. Record it with CSS selectors.';
    const added = toSteps(selector, step);
    if (typeof added === 'string') return added;
    steps.push(...added);
    return undefined;
  };

const readers: Record<string, (reader: Reader, step: RecordedStep) => string | undefined> = {
  navigate: ({ steps }) => (steps.length > 0 ? 'navigates elsewhere. Audit that page by another check.' : undefined),
  click: withSelector((selector, { button = 'primary' }) =>
    button === 'primary' ? [{ click: selector }] : 'clicks with another button than the primary one. Remove the step.',
  ),
  doubleClick: withSelector((selector) => [{ click: selector }, { click: selector }]),
  hover: withSelector((selector) => [{ hover: selector }]),
  change: withSelector((selector, { value = '' }) => [{ type: selector, text: value }]),
  waitForElement: withSelector((selector, step) => {
    const asks = ['operator', 'count', 'properties', 'attributes'].find((name) => name in step);
    if (step.visible === false) return 'waits until an element is hidden. Remove the step.';
    return asks ? `waits by ${asks}. Only the wait for a visible element has a counterpart.` : [{ waitFor: selector }];
  }),
  scroll: (reader, { y = 0, selectors }) => {
    if (selectors) return withSelector((selector) => [{ scroll: selector }])(reader, { type: 'scroll', selectors });
    const by = Math.round(y - reader.scrolledTo);
    reader.scrolledTo = y;
    if (by !== 0) reader.steps.push({ scroll: by });
    return undefined;
  },
  keyDown: ({ held, steps }, { key = '' }) => {
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

const nameOfKey = (key: string): string => (key === ' ' ? 'Space' : key);

/** Returns the first selector of one part, or one of CSS through shadow roots. A recording has several for each element. */
const selectorOf = ({ selectors = [] }: RecordedStep): string | undefined => {
  const chains = selectors.map((each) => (typeof each === 'string' ? [each] : each));
  const single = chains.find(({ length }) => length === 1)?.[0];
  return (
    single ?? chains.find((chain) => chain.every((part) => !/^(aria|text|xpath|pierce)\//.test(part)))?.join(' >>> ')
  );
};
