import { SyntaxFault, tokensOf } from './expression-tokens.ts';

/* The grammar of DynamoDB's expressions. The trees have names and values as the text has them. */

export type PathTree = { kind: 'path'; parts: (string | number)[] };
export type CallTree = { kind: 'call'; name: string; args: OperandTree[] };
export type OperandTree =
  | PathTree
  | { kind: 'value'; name: string }
  | CallTree
  | { kind: '+' | '-'; args: [OperandTree, OperandTree] };
export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type ConditionTree =
  | { kind: 'and' | 'or' | 'not'; args: ConditionTree[] }
  | { kind: Comparator | 'between' | 'in'; args: OperandTree[] }
  | CallTree;
export type Section = 'set' | 'remove' | 'add' | 'delete';
export type UpdateTree = { section: Section; path: PathTree; value?: OperandTree }[];

export type Parsed<T> = { tree: T; redundantParentheses: boolean; repeatedSection: Section | undefined };

const comparators: readonly string[] = ['=', '<>', '<', '<=', '>', '>='] satisfies Comparator[];
const sections: readonly string[] = ['set', 'remove', 'add', 'delete'] satisfies Section[];
const keywords = ['and', 'or', 'not', 'between', 'in'];

export class Parser {
  readonly #tokens: string[];
  #at = 0;
  redundantParentheses = false;
  repeatedSection: Section | undefined;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  condition(): ConditionTree {
    return this.#toTheEnd(() => this.#or());
  }

  projection(): PathTree[] {
    return this.#toTheEnd(() => this.#list(() => this.#path()));
  }

  update(): UpdateTree {
    return this.#toTheEnd(() => {
      const actions: UpdateTree = [];
      const seen = new Set<string>();
      do {
        const section = this.#next().toLowerCase();
        if (!isSection(section)) throw this.#fault(-1);
        if (seen.has(section)) this.repeatedSection ??= section;
        seen.add(section);
        actions.push(...this.#list(() => this.#action(section)));
      } while (this.#at < this.#tokens.length);
      return actions;
    });
  }

  #action(section: Section): UpdateTree[number] {
    const path = this.#path();
    if (section === 'remove') return { section, path };
    if (section === 'set') this.#expect('=');
    return { section, path, value: section === 'set' ? this.#sum() : this.#operand() };
  }

  #or(): ConditionTree {
    const first = this.#and();
    return this.#take('or') ? { kind: 'or', args: [first, this.#or()] } : first;
  }

  #and(): ConditionTree {
    const first = this.#not();
    return this.#take('and') ? { kind: 'and', args: [first, this.#and()] } : first;
  }

  #not(): ConditionTree {
    return this.#take('not') ? { kind: 'not', args: [this.#not()] } : this.#grouped();
  }

  /** Parses a condition in parentheses. An operand may be in parentheses too. */
  #grouped(): ConditionTree {
    if (this.#peek() !== '(') return this.#comparison();
    const start = this.#at;
    try {
      this.#at++;
      const isDoubled = this.#peek() === '(';
      const inner = this.#or();
      const wasGroup = isDoubled && this.#tokens[this.#at - 1] === ')' && this.#closes(start + 1, this.#at - 1);
      this.#expect(')');
      if (!this.#startsComparison()) {
        if (wasGroup) this.redundantParentheses = true;
        return inner;
      }
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
    }
    this.#at = start;
    return this.#comparison();
  }

  /** Returns true if the parenthesis at `from` is closed by the one at `to`. */
  #closes(from: number, to: number): boolean {
    let depth = 0;
    for (let i = from; i <= to; i++) {
      if (this.#tokens[i] === '(') depth++;
      if (this.#tokens[i] === ')' && --depth === 0) return i === to;
    }
    return false;
  }

  #startsComparison(): boolean {
    const token = this.#peek()?.toLowerCase() ?? '';
    return comparators.includes(token) || token === 'between' || token === 'in';
  }

  #comparison(): ConditionTree {
    const first = this.#operand();
    const operator = this.#peek()?.toLowerCase() ?? '';
    if (comparators.includes(operator)) {
      this.#at++;
      return { kind: operator as Comparator, args: [first, this.#operand()] };
    }
    if (this.#take('between')) {
      const low = this.#operand();
      this.#expect('and');
      return { kind: 'between', args: [first, low, this.#operand()] };
    }
    if (this.#take('in')) {
      this.#expect('(');
      const operands = this.#list(() => this.#operand());
      this.#expect(')');
      return { kind: 'in', args: [first, ...operands] };
    }
    if (first.kind === 'call') return first;
    throw this.#fault();
  }

  #sum(): OperandTree {
    const start = this.#at;
    if (this.#take('(')) {
      const inner = this.#sum();
      this.#expect(')');
      if (!['+', '-'].includes(this.#peek() ?? '')) return inner;
      this.#at = start;
    }
    const first = this.#operand();
    const sign = this.#peek();
    if (sign !== '+' && sign !== '-') return first;
    this.#at++;
    return { kind: sign, args: [first, this.#operand()] };
  }

  #operand(): OperandTree {
    if (this.#take('(')) {
      if (this.#peek() === '(') this.redundantParentheses = true;
      const inner = this.#operand();
      this.#expect(')');
      return inner;
    }
    const token = this.#peek() ?? '';
    if (token.startsWith(':')) {
      this.#at++;
      return { kind: 'value', name: token };
    }
    if (this.#tokens[this.#at + 1] === '(' && /^[A-Za-z]/.test(token) && !keywords.includes(token.toLowerCase())) {
      this.#at += 2;
      const args = this.#list(() => this.#sum());
      this.#expect(')');
      return { kind: 'call', name: token, args };
    }
    return this.#path();
  }

  #path(): PathTree {
    const parts: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.#take('.')) parts.push(this.#name());
      else if (this.#take('[')) {
        const index = this.#next();
        if (!/^\d+$/.test(index)) throw this.#fault(-1);
        parts.push(Number(index));
        this.#expect(']');
      } else return { kind: 'path', parts };
    }
  }

  #name(): string {
    const token = this.#next();
    if (!/^#?[A-Za-z_]|^#\d/.test(token) || keywords.includes(token.toLowerCase())) throw this.#fault(-1);
    return token;
  }

  #list<T>(each: () => T): T[] {
    const all = [each()];
    while (this.#take(',')) all.push(each());
    return all;
  }

  #toTheEnd<T>(parse: () => T): T {
    const tree = parse();
    if (this.#at < this.#tokens.length) throw this.#fault();
    return tree;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.#fault(-1);
    return token;
  }

  #take(token: string): boolean {
    const found = this.#peek()?.toLowerCase() === token;
    if (found) this.#at++;
    return found;
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw this.#fault();
  }

  #fault(offset = 0): SyntaxFault {
    const token = this.#tokens[this.#at + offset] ?? '<EOF>';
    return new SyntaxFault(`Syntax error; token: "${token}"`);
  }
}

const isSection = (text: string): text is Section => sections.includes(text);
