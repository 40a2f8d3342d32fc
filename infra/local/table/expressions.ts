import { invalid } from './errors.ts';
import type { CallTree, ConditionTree, OperandTree, Parsed, PathTree, Section } from './expression-parser.ts';
import { type ExpressionKind, type Kind, Rules, refuseMany } from './expression-rules.ts';
import { SyntaxFault } from './expression-tokens.ts';
import { parseCondition, parseProjection, parseUpdate } from './parsed-expressions.ts';
import { isReserved } from './reserved-words.ts';
import type { Action, Condition, Operand, Path } from './resolved.ts';
import { type Item, type Type, typeOf } from './values.ts';

/* Resolves the names and values of an expression, and refuses what DynamoDB refuses. */

/** The names and values of the expressions of a request. */
export type Expressions = {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
};

const operandsOf: Record<string, number> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
};
const operandsInUpdates: Record<string, number> = { if_not_exists: 2, list_append: 2 };

/** Resolves the expressions of one request, and remembers which names and values are used. */
export class Resolver {
  readonly #names: Record<string, string>;
  readonly #values: Item;
  readonly #used = new Set<string>();
  #rules = new Rules();

  constructor({ ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Expressions) {
    this.#names = names;
    this.#values = values;
  }

  condition(field: string, text: string): Condition {
    return this.#resolve(field, text, 'condition', parseCondition, (tree) => {
      const condition = this.#condition(tree);
      this.#rules.refuseSize(condition);
      return condition;
    });
  }

  update(text: string): Action[] {
    return this.#resolve('UpdateExpression', text, 'update', parseUpdate, (tree) => {
      const actions = tree.map(({ section, path, value }) => ({
        section,
        path: this.#path(path),
        ...(value && { value: this.#operandOf(value, section) }),
      }));
      this.#rules.checkPaths(actions.map(({ path }) => path));
      return actions;
    });
  }

  projection(text: string): Path[] {
    return this.#resolve('ProjectionExpression', text, 'projection', parseProjection, (tree) => {
      const paths = tree.map((path) => this.#path(path));
      this.#rules.checkPaths(paths);
      return paths;
    });
  }

  /** Throws if the request has a name or a value that no expression uses. */
  refuseUnused(): void {
    for (const [field, given] of [
      ['Names', this.#names],
      ['Values', this.#values],
    ] as const) {
      const unused = Object.keys(given).filter((name) => !this.#used.has(name));
      if (unused.length > 0)
        throw invalid(
          `Value provided in ExpressionAttribute${field} unused in expressions: keys: {${unused.join(', ')}}`,
        );
    }
  }

  #resolve<Tree, T>(
    field: string,
    text: string,
    kind: ExpressionKind,
    parse: (text: string) => Parsed<Tree>,
    resolve: (tree: Tree) => T,
  ): T {
    const refuse = (why: string) => invalid(`Invalid ${field}: ${why}`);
    if (text === '') throw refuse('The expression can not be empty;');
    let parsed: Parsed<Tree>;
    try {
      parsed = parse(text);
    } catch (error) {
      throw error instanceof SyntaxFault ? refuse(error.message) : error;
    }
    this.#rules = new Rules();
    if (parsed.redundantParentheses) this.#rules.fault('parentheses', 'The expression has redundant parentheses;');
    const section = parsed.repeatedSection?.toUpperCase();
    if (section)
      this.#rules.fault('section', `The "${section}" section can only be used once in an update expression;`);
    const resolved = resolve(parsed.tree);
    const why = this.#rules.firstFault(kind);
    if (why) throw refuse(why);
    refuseMany(resolved, refuse);
    return resolved;
  }

  #condition(tree: ConditionTree): Condition {
    if (tree.kind === 'and' || tree.kind === 'or' || tree.kind === 'not') {
      const args = tree.args.map((each) => this.#condition(each));
      for (const each of args) this.#rules.refuseSize(each);
      return { kind: tree.kind, args };
    }
    const comparison = tree.kind === 'call' ? this.#call(tree, operandsOf) : this.#comparison(tree);
    this.#rules.endComparison();
    return comparison;
  }

  #comparison(tree: Exclude<ConditionTree, CallTree>): Condition {
    const args = (tree.args as OperandTree[]).map((each) => this.#operand(each, operandsOf));
    this.#rules.refuseCalls(args);
    if (tree.kind === 'between') this.#rules.checkBounds(args[1] as Operand, args[2] as Operand);
    else if (tree.kind !== 'in') this.#rules.checkDistinct(tree.kind, args);
    return { kind: tree.kind, args };
  }

  #operandOf(tree: OperandTree, section: Section): Operand {
    const operand = this.#operand(tree, operandsInUpdates);
    const name = operand.kind === 'value' && namesOfTypes[typeOf(operand.value)];
    if (section !== 'set' && name && !(section === 'add' && name === 'NUMBER')) {
      const operator = section.toUpperCase();
      this.#rules.fault(
        'operand',
        `Incorrect operand type for operator or function; operator: ${operator}, operand type: ${name}`,
      );
    }
    return operand;
  }

  #operand(tree: OperandTree, functions: Record<string, number>): Operand {
    if (tree.kind === 'path') return { kind: 'path', path: this.#path(tree) };
    if (tree.kind === 'value') return this.#value(tree.name, functions === operandsOf ? 'name' : 'value');
    if (tree.kind === 'call') return this.#call(tree, functions) as Operand;
    const args = tree.args.map((each) => this.#operand(each, functions));
    for (const each of args) this.#rules.refuseType(tree.kind, each, ['N']);
    return { kind: tree.kind, args };
  }

  #path({ parts }: PathTree): Path {
    return parts.map((part) => {
      if (typeof part === 'number') return part;
      if (!part.startsWith('#')) {
        if (isReserved(part))
          this.#rules.fault('reserved', `Attribute name is a reserved keyword; reserved keyword: ${part}`);
        return part;
      }
      const name = this.#names[part];
      this.#used.add(part);
      if (name === undefined)
        this.#rules.fault(
          'name',
          `An expression attribute name used in the document path is not defined; attribute name: ${part}`,
        );
      return name ?? '';
    });
  }

  #value(name: string, kind: Kind): Operand {
    const value = this.#values[name];
    this.#used.add(name);
    if (value === undefined)
      this.#rules.fault(
        kind,
        `An expression attribute value used in expression is not defined; attribute value: ${name}`,
      );
    return { kind: 'value', value: value ?? { NULL: true } };
  }

  #call({ name, args: trees }: CallTree, functions: Record<string, number>): Operand & Condition {
    const args = trees.map((each) => this.#operand(each, functions));
    const call = { kind: 'call' as const, name, args };
    if (functions === operandsOf) this.#rules.refuseCalls(args);
    const count = functions[name];
    if (count === undefined) this.#rules.fault('unknownFunction', `Invalid function name; function: ${name}`);
    else if (count !== args.length) {
      const kind = functions === operandsOf ? 'operand' : 'function';
      this.#rules.fault(
        kind,
        `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${args.length}`,
      );
    } else this.#rules.checkCall(name, args);
    return call;
  }
}

const namesOfTypes: { [T in Type]?: string } = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  NULL: 'NULL',
  BOOL: 'BOOLEAN',
  L: 'LIST',
  M: 'MAP',
};
