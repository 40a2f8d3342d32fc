import { unknown } from './errors.ts';
import type { Placeholders } from './placeholders.ts';
import { isReserved } from './reserved-words.ts';
import type { Tokens } from './tokens.ts';
import { compare, type Type, typeOf, types, type Value } from './values.ts';

/* Reads the expressions that the stores send, and refuses what DynamoDB refuses. Other parts of its language are unknown. */

/** The names of an attribute and of the maps that it is in. */
export type Path = string[];
export type Operand =
  | { kind: 'path' | 'size'; path: Path }
  | { kind: 'value'; value: Value }
  | { kind: 'if_not_exists'; path: Path; otherwise: Operand }
  | { kind: '+'; terms: [Operand, Operand] };
export type Comparison = { kind: string; operands: Operand[] };
export type Condition = { kind: 'and' | 'or' | 'not'; parts: Condition[] } | Comparison;
/** Sets an attribute, or removes it if there is no value. */
export type Action = { path: Path; value?: Operand };

const comparators = ['=', '<>', '<', '<=', '>', '>='];
const keywords = ['and', 'or', 'not', 'between', 'in'];
const tests = ['attribute_exists', 'attribute_not_exists', 'attribute_type', 'begins_with', 'contains'];
const unknownWords = ['add', 'delete', 'list_append'];
const MAX_OPERATORS = 300;
const MAX_OPERANDS_OF_IN = 100;

/** Reads one expression. */
export class Expression {
  readonly #tokens: Tokens;
  readonly #placeholders: Placeholders;
  #operators = 0;
  /** Indexes of the parentheses around the last group. */
  #group: [number, number] | undefined;

  constructor(tokens: Tokens, placeholders: Placeholders) {
    this.#tokens = tokens;
    this.#placeholders = placeholders;
  }

  condition(): Condition {
    return this.#toTheEnd(() => this.#or());
  }

  projection(): Path[] {
    return this.#toTheEnd(() => this.#distinct(this.#tokens.list(() => this.#path())));
  }

  update(): Action[] {
    return this.#toTheEnd(() => {
      const actions: Action[] = [];
      const sections = new Set<string>();
      do {
        const section = this.#tokens.next().toLowerCase();
        if (unknownWords.includes(section)) throw unknown(section.toUpperCase());
        if (section !== 'set' && section !== 'remove') throw this.#tokens.syntaxError(-1);
        if (sections.has(section)) throw this.#refusal(`The "${section}" section can only be used once;`);
        sections.add(section);
        actions.push(...this.#tokens.list(() => (section === 'set' ? this.#assignment() : { path: this.#path() })));
      } while (this.#tokens.peek() !== undefined);
      this.#distinct(actions.map(({ path }) => path));
      return actions;
    });
  }

  #assignment(): Action {
    const path = this.#path();
    this.#tokens.expect('=');
    const first = this.#operand('if_not_exists');
    if (!this.#tokens.take('+')) return { path, value: first };
    const terms: [Operand, Operand] = [first, this.#operand('if_not_exists')];
    for (const term of terms) this.#checkType('+', term, ['N']);
    return { path, value: this.#counted({ kind: '+', terms }) };
  }

  #or(): Condition {
    const first = this.#and();
    return this.#tokens.take('or') ? this.#counted({ kind: 'or', parts: [first, this.#or()] }) : first;
  }

  #and(): Condition {
    const first = this.#not();
    return this.#tokens.take('and') ? this.#counted({ kind: 'and', parts: [first, this.#and()] }) : first;
  }

  #not(): Condition {
    if (this.#tokens.take('not')) return this.#counted({ kind: 'not', parts: [this.#not()] });
    const start = this.#tokens.at;
    if (!this.#tokens.take('(')) return this.#comparison();
    const inner = this.#or();
    this.#tokens.expect(')');
    const end = this.#tokens.at - 1;
    const [first, last] = this.#group ?? [];
    if (first === start + 1 && last === end - 1) throw this.#refusal('The expression has redundant parentheses;');
    this.#group = [start, end];
    return inner;
  }

  #comparison(): Condition {
    const name = this.#tokens.peek() as string;
    if (this.#tokens.peek(1) === '(' && name !== 'size') return this.#test(name);
    const first = this.#operand('size');
    const kind = this.#tokens.next().toLowerCase();
    if (kind === 'in') return this.#counted({ kind, operands: [first, ...this.#listed()] });
    if (kind === 'between') {
      const low = this.#operand('size');
      this.#tokens.expect('and');
      const high = this.#operand('size');
      this.#checkBounds(low, high);
      return this.#counted({ kind, operands: [first, low, high] });
    }
    if (!comparators.includes(kind)) throw this.#tokens.syntaxError(-1);
    return this.#compared(kind, first, this.#operand('size'));
  }

  #listed(): Operand[] {
    this.#tokens.expect('(');
    const listed = this.#tokens.list(() => this.#operand('size'));
    this.#tokens.expect(')');
    if (listed.length <= MAX_OPERANDS_OF_IN) return listed;
    throw this.#refusal(`The IN operator is provided with too many operands; number of operands: ${listed.length}`);
  }

  #compared(kind: string, first: Operand, second: Operand): Condition {
    const isSame = first.kind === 'path' && second.kind === 'path' && first.path.join() === second.path.join();
    if (!isSame) return this.#counted({ kind, operands: [first, second] });
    throw this.#refusal(`The first operand must be distinct from the remaining operands; operator: ${kind}`);
  }

  /** Reads a function that is a condition. */
  #test(name: string): Condition {
    if (unknownWords.includes(name)) throw unknown(name);
    if (name === 'if_not_exists') throw this.#misuse(name);
    if (!tests.includes(name)) throw this.#refusal(`Invalid function name; function: ${name}`);
    const [path, second] = this.#operandsOf(name, /exists$/.test(name) ? 1 : 2);
    const first: Operand = { kind: 'path', path };
    if (!second) return this.#counted({ kind: name, operands: [first] });
    if (name === 'begins_with') this.#checkType(name, second, ['S', 'B']);
    if (name === 'attribute_type') {
      const type = second.kind === 'value' ? second.value.S : undefined;
      if (!types.some((each) => each === type)) throw this.#refusal(`Invalid attribute type name found; type: ${type}`);
    }
    return this.#compared(name, first, second);
  }

  /** Reads the operands of a function. The first one is an attribute. */
  #operandsOf(name: string, count: number): [Path, Operand?] {
    this.#tokens.at++;
    this.#tokens.expect('(');
    const operands = this.#tokens.list(() => this.#operand());
    this.#tokens.expect(')');
    const operator = `operator or function: ${name}`;
    if (operands.length !== count) throw this.#refusal(`Incorrect number of operands; ${operator}`);
    const [first, second] = operands;
    if (first?.kind !== 'path') throw this.#refusal(`Operator or function requires a document path; ${operator}`);
    return [first.path, second];
  }

  /** Reads an operand. It may be a call of one function. */
  #operand(call?: 'size' | 'if_not_exists'): Operand {
    const token = this.#tokens.peek() ?? '';
    if (token === '(') throw unknown('parentheses around an operand');
    if (token.startsWith(':')) {
      this.#tokens.at++;
      const value = this.#placeholders.value(token);
      if (value) return { kind: 'value', value };
      throw this.#refusal(`An expression attribute value used in expression is not defined; attribute value: ${token}`);
    }
    if (this.#tokens.peek(1) !== '(') return { kind: 'path', path: this.#path() };
    if (unknownWords.includes(token)) throw unknown(token);
    if (token !== call) throw this.#misuse(token);
    const [path, otherwise] = this.#operandsOf(token, call === 'size' ? 1 : 2);
    return this.#counted(otherwise ? { kind: 'if_not_exists', path, otherwise } : { kind: 'size', path });
  }

  #path(): Path {
    const path = [this.#name()];
    while (this.#tokens.take('.')) path.push(this.#name());
    if (this.#tokens.peek() === '[') throw unknown('elements of lists');
    return path;
  }

  #name(): string {
    const token = this.#tokens.next();
    if (!/^#?[A-Za-z_]|^#\d/.test(token) || keywords.includes(token.toLowerCase())) throw this.#tokens.syntaxError(-1);
    if (isReserved(token)) throw this.#refusal(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    const name = token.startsWith('#') ? this.#placeholders.name(token) : token;
    if (name !== undefined) return name;
    throw this.#refusal(`An expression attribute name is not defined; attribute name: ${token}`);
  }

  /** Throws if one path leads into another one. */
  #distinct(paths: Path[]): Path[] {
    for (const [i, second] of paths.entries()) {
      for (const first of paths.slice(0, i)) {
        if (first.some((name, at) => at < second.length && name !== second[at])) continue;
        const both = `path one: [${first.join(', ')}], path two: [${second.join(', ')}]`;
        throw this.#refusal(`Two document paths overlap with each other; remove or rewrite one of them; ${both}`);
      }
    }
    return paths;
  }

  #checkType(name: string, operand: Operand, accepted: readonly Type[]): void {
    if (operand.kind !== 'value' || accepted.includes(typeOf(operand.value))) return;
    const type = typeOf(operand.value);
    throw this.#refusal(`Incorrect operand type; operator or function: ${name}, operand type: ${type}`);
  }

  #checkBounds(low: Operand, high: Operand): void {
    if (low.kind !== 'value' || high.kind !== 'value') return;
    if (typeOf(low.value) !== typeOf(high.value))
      throw this.#refusal('The BETWEEN operator requires same data type for lower and upper bounds;');
    if ((compare(low.value, high.value) ?? 0) > 0)
      throw this.#refusal('The BETWEEN operator requires upper bound to be greater than or equal to lower bound;');
  }

  #counted<T>(node: T): T {
    if (++this.#operators <= MAX_OPERATORS) return node;
    throw this.#refusal(`The expression contains too many operators; operator count: ${MAX_OPERATORS + 1}`);
  }

  #toTheEnd<T>(read: () => T): T {
    const result = read();
    if (this.#tokens.peek() !== undefined) throw this.#tokens.syntaxError();
    return result;
  }

  #misuse(name: string) {
    return this.#refusal(`The function is not allowed to be used this way in an expression; function: ${name}`);
  }

  #refusal(why: string) {
    return this.#tokens.refusal(why);
  }
}
