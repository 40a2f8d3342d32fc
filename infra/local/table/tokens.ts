import { invalid, type ServiceError } from './errors.ts';

const TOKEN = /\s*([#:]?[A-Za-z_0-9]+|<=|>=|<>|[=<>(),.[\]+-])/y;

/** The words and signs of an expression. `field` is the name of the expression in its request. */
export class Tokens {
  readonly #field: string;
  readonly #all: string[] = [];
  /** Index of the next token. */
  at = 0;

  constructor(field: string, text: string) {
    this.#field = field;
    if (text === '') throw this.refusal('The expression can not be empty;');
    let end = 0;
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      this.#all.push(match[1] as string);
      end = TOKEN.lastIndex;
    }
    const rest = text.slice(end).trim();
    if (rest !== '') throw this.refusal(`Syntax error; token: "${rest[0]}"`);
  }

  peek(offset = 0): string | undefined {
    return this.#all[this.at + offset];
  }

  next(): string {
    const token = this.#all[this.at++];
    if (token === undefined) throw this.syntaxError(-1);
    return token;
  }

  /** Skips the next token if it is this one. Returns true if it is. */
  take(token: string): boolean {
    const isNext = this.peek()?.toLowerCase() === token;
    if (isNext) this.at++;
    return isNext;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.syntaxError();
  }

  list<T>(each: () => T): T[] {
    const all = [each()];
    while (this.take(',')) all.push(each());
    return all;
  }

  syntaxError(offset = 0): ServiceError {
    return this.refusal(`Syntax error; token: "${this.peek(offset) ?? '<EOF>'}"`);
  }

  refusal(why: string): ServiceError {
    return invalid(`Invalid ${this.#field}: ${why}`);
  }
}
