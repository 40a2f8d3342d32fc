/** A text that a step types. The check has a secret one under this name in its `secretTexts`. */
export type TypedText = string | { secret: string };

/** How a step finds its element, besides its selector. */
export type Where = {
  /** Other selectors of the element. The step tries them in their order. */
  or?: string[] | undefined;
  /** Place of the frame: its index in the page, then the index in that frame, and so on. */
  frame?: number[] | undefined;
};
export type Place = { x: number; y: number };

/** A step of an interaction: one action, and the element that it is for. Selectors are those of Puppeteer's locators. */
export type Step =
  | ({ click: string; times?: 2 | undefined; offset?: Place | undefined; duration?: number | undefined } & Where)
  | ({ type: string; text: TypedText } & Where)
  | { press: string }
  | { scroll: number }
  | ({ scroll: string; to?: Place | undefined } & Where)
  | ({ hover: string } & Where)
  | ({ select: string; values: string[] } & Where)
  | ({ waitFor: string } & Where);

/** An interaction with a loaded page: its name, and its steps in their order. */
export type Interaction = { name: string; steps: Step[] };

export const MAX_INTERACTIONS = 5;
export const MAX_STEPS = 10;
export const MAX_SELECTOR_LENGTH = 500;
export const MAX_TYPED_LENGTH = 500;
/** Pixels by which one step scrolls at most, in both directions. */
export const MAX_SCROLL = 100_000;
/** Time for which a click is held at most, in milliseconds. */
export const MAX_HOLD_MS = 5000;
/** Time limit for the steps of an interaction and for what the page shows after them, in milliseconds. */
export const INTERACTION_MS = 10_000;

export const actions = ['click', 'type', 'press', 'scroll', 'hover', 'select', 'waitFor'] as const;
export type Action = (typeof actions)[number];

export const actionOf = (step: Step): Action => actions.find((name) => name in step) as Action;

/** Returns a step in words, without the text that it types. */
export const stepText = (step: Step): string =>
  `${actionOf(step)} ${(step as Record<string, unknown>)[actionOf(step)]}`;

/** Returns the steps that type a secret text, with their places. */
export const secretSteps = (interactions: readonly Interaction[]) =>
  interactions.flatMap(({ name, steps }, i) =>
    steps.flatMap((step, j) =>
      'type' in step && typeof step.text === 'object'
        ? [
            {
              place: `step ${j + 1} of the interaction ${name}`,
              path: `interactions.${i}.steps.${j}.text`,
              secret: step.text.secret,
            },
          ]
        : [],
    ),
  );

/** Keys with a name. Any other key is one character. */
export const namedKeys = [
  ...['Enter', 'Tab', 'Escape', 'Space', 'Backspace', 'Delete', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
  ...['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'],
] as const;
/** Keys that a step may hold while it presses another one, such as `Shift+Tab`. */
export const modifierKeys = ['Shift', 'Control', 'Alt', 'Meta'] as const;
/** Form of a key, with the modifiers before it. */
export const keyForm = new RegExp(`^((${modifierKeys.join('|')})\\+)*(${namedKeys.join('|')}|[!-~])$`);

/** Says what a create accepts. */
export const acceptedInteractions = `The interactions must be a list of 1 to ${MAX_INTERACTIONS}. Each has a \`name\` (1 to 32 of a-z, 0-9, ., _ and -) and \`steps\`, a list of 1 to ${MAX_STEPS}. A step is one of { "click": selector }, { "type": selector, "text": text or { "secret": name } }, { "press": key }, { "scroll": selector or pixels }, { "hover": selector }, { "select": selector, "values": [value] } and { "waitFor": selector }. A selector is CSS, or begins with text/, aria/, xpath/ or pierce/. A key is one character or one of ${namedKeys.slice(0, 14).join(', ')} and F1 to F12, such as Shift+Tab. A step with a selector may have \`or\` (other selectors) and \`frame\` (indices), a click \`times\` (2), \`offset\` and \`duration\` (1 to ${MAX_HOLD_MS} ms), and a scroll to a selector \`to\` ({ "x", "y" }).`;
