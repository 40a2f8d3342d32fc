/** A fault in a text of secrets. Its message is a sentence with the place of the fault, and never has a value of the text. */
export class FaultyLoginError extends Error {
  /** The option to which the text belongs, if it is another one. */
  readonly isInstead: 'cookies' | 'storageState' | undefined;

  constructor(message: string, isInstead?: FaultyLoginError['isInstead']) {
    super(message);
    this.isInstead = isInstead;
  }
}

/** Parses JSON. The message of `JSON.parse` would quote the text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new FaultyLoginError('It is no valid JSON.');
  }
};

/** Returns true if a value of a file is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
