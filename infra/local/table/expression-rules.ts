import type { Condition, Operand, Path } from './resolved.ts';
import { compare, type Type, typeOf, types, type Value } from './values.ts';

/** Kinds of faults of an expression. The request is refused for the first one in the order of the expression. */
export type Kind =
  | 'parentheses'
  | 'comparison'
  | 'unknownFunction'
  | 'misused'
  | 'reserved'
  | 'section'
  | 'name'
  | 'value'
  | 'overlap'
  | 'conflict'
  | 'operand'
  | 'distinct'
  | 'function';
const order = {
  condition: ['parentheses', 'unknownFunction', 'misused', 'reserved', 'comparison'],
  comparison: ['name', 'operand', 'distinct', 'function'],
  update: ['reserved', 'unknownFunction', 'section', 'name', 'value', 'overlap', 'conflict', 'operand', 'function'],
  projection: ['reserved', 'name', 'overlap', 'conflict'],
} as const satisfies Record<string, Kind[]>;

const MAX_OPERATORS = 300;
const MAX_OPERANDS_OF_IN = 100;

export type ExpressionKind = keyof typeof order;

/** The rules about the operands of one expression. Remembers the first fault of each kind. */
export class Rules {
  readonly #faults = new Map<Kind, string>();

  /** Returns the fault for which DynamoDB refuses the expression, or undefined. */
  firstFault(kind: ExpressionKind): string | undefined {
    return order[kind].map((each) => this.#faults.get(each)).find((why) => why !== undefined);
  }

  /** Keeps the fault of the first comparison that has one. */
  endComparison(): void {
    const why = this.firstFault('comparison');
    if (why) this.fault('comparison', why);
  }

  fault(kind: Kind, why: string): void {
    if (!this.#faults.has(kind)) this.#faults.set(kind, why);
  }

  checkCall(name: string, args: Operand[]): void {
    this.checkDistinct(name, args);
    const [first, second] = args as [Operand, Operand];
    if (/exists$/.test(name) && first.kind !== 'path')
      this.fault('function', `Operator or function requires a document path; operator or function: ${name}`);
    if (name === 'begins_with') for (const each of args) this.refuseType(name, each, ['S', 'B']);
    if (name === 'list_append') for (const each of args) this.refuseType(name, each, ['L']);
    if (name === 'size')
      this.refuseType(
        name,
        first,
        types.filter((type) => !['N', 'BOOL', 'NULL'].includes(type)),
      );
    if (name === 'attribute_type') this.checkTypeName(second);
  }

  checkTypeName(operand: Operand): void {
    if (operand.kind !== 'value' || operand.value.S === undefined) {
      const type = operand.kind === 'value' ? typeOf(operand.value) : '{NS,SS,L,BS,N,M,B,BOOL,NULL,S}';
      this.fault('function', `${WRONG_TYPE} attribute_type, operand type: ${type}`);
    } else if (!types.some((type) => type === operand.value.S)) {
      const valid = 'B,NULL,SS,BOOL,L,BS,N,NS,S,M';
      this.fault('function', `Invalid attribute type name found; type: ${operand.value.S}, valid types: {${valid}}`);
    }
  }

  refuseType(name: string, operand: Operand, accepted: readonly Type[]): void {
    if (operand.kind !== 'value' || accepted.includes(typeOf(operand.value))) return;
    this.fault('function', `${WRONG_TYPE} ${name}, operand type: ${typeOf(operand.value)}`);
  }

  refuseCalls(args: Operand[]): void {
    for (const each of args) if (each.kind === 'call' && each.name !== 'size') this.misused(each.name);
  }

  refuseSize({ kind, name }: Condition): void {
    if (kind === 'call' && name === 'size') this.misused(name);
  }

  misused(name: string): void {
    this.fault('misused', `The function is not allowed to be used this way in an expression; function: ${name}`);
  }

  checkDistinct(operator: string, [first, second, third]: Operand[]): void {
    if (third || first?.kind !== 'path' || second?.kind !== 'path' || relation(first.path, second.path) !== 'same')
      return;
    this.fault(
      'distinct',
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${show(first.path)}`,
    );
  }

  checkBounds(low: Operand, high: Operand): void {
    if (low.kind !== 'value' || high.kind !== 'value') return;
    const text = ({ value }: { value: Value }) => `AttributeValue: {${typeOf(value)}:${value[typeOf(value)]}}`;
    const bounds = `lower bound operand: ${text(low)}, upper bound operand: ${text(high)}`;
    if (typeOf(low.value) !== typeOf(high.value))
      this.fault('function', `The BETWEEN operator requires same data type for lower and upper bounds; ${bounds}`);
    else if ((compare(low.value, high.value) ?? 0) > 0)
      this.fault(
        'function',
        `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${bounds}`,
      );
  }

  checkPaths(paths: Path[]): void {
    for (const [i, second] of paths.entries()) {
      for (const first of paths.slice(0, i)) {
        const found = relation(first, second);
        const both = `must remove or rewrite one of these paths; path one: ${show(first)}, path two: ${show(second)}`;
        if (found === 'conflict') this.fault('conflict', `Two document paths conflict with each other; ${both}`);
        else if (found !== 'apart') this.fault('overlap', `Two document paths overlap with each other; ${both}`);
      }
    }
  }
}

const WRONG_TYPE = 'Incorrect operand type for operator or function; operator or function:';
const show = (path: Path): string =>
  `[${path.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join(', ')}]`;

/** Returns how two paths relate. `within`: one of them leads into the other. */
const relation = (a: Path, b: Path): 'same' | 'within' | 'conflict' | 'apart' => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (typeof a[i] !== typeof b[i]) return 'conflict';
    if (a[i] !== b[i]) return 'apart';
  }
  return a.length === b.length ? 'same' : 'within';
};

type Node = { kind?: string; args?: Node[]; value?: Node };

/** Throws if an expression has more operators than DynamoDB accepts. */
export const refuseMany = (resolved: unknown, refuse: (why: string) => Error): void => {
  let operators = 0;
  const visit = ({ kind, args, value }: Node) => {
    if (args) {
      operators++;
      if (kind === 'in' && args.length - 1 > MAX_OPERANDS_OF_IN)
        throw refuse(`The IN operator is provided with too many operands; number of operands: ${args.length - 1}`);
      args.forEach(visit);
    } else if (value && !kind) visit(value);
  };
  for (const each of [resolved].flat()) visit(each as Node);
  if (operators > MAX_OPERATORS)
    throw refuse(`The expression contains too many operators; operator count: ${MAX_OPERATORS + 1}`);
};
