import { invalid } from './errors.ts';
import type { Item, Value } from './values.ts';

/** The names and values that stand for placeholders in the expressions of a request. */
export class Placeholders {
  readonly #names: Record<string, string>;
  readonly #values: Item;
  readonly #used = new Set<string>();

  constructor(names: Record<string, string> = {}, values: Item = {}) {
    this.#names = names;
    this.#values = values;
  }

  name(placeholder: string): string | undefined {
    this.#used.add(placeholder);
    return this.#names[placeholder];
  }

  value(placeholder: string): Value | undefined {
    this.#used.add(placeholder);
    return this.#values[placeholder];
  }

  /** Throws if no expression uses a name or a value. */
  refuseUnused(): void {
    for (const [field, given] of Object.entries({ Names: this.#names, Values: this.#values })) {
      const unused = Object.keys(given).filter((name) => !this.#used.has(name));
      if (unused.length > 0)
        throw invalid(
          `Value provided in ExpressionAttribute${field} unused in expressions: keys: {${unused.join(', ')}}`,
        );
    }
  }
}
