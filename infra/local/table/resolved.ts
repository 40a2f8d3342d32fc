import type { CallTree, ConditionTree, Section } from './expression-parser.ts';
import type { Value } from './values.ts';

/* An expression with its names and values in place. */

export type Path = (string | number)[];
export type Operand =
  | { kind: 'path'; path: Path }
  | { kind: 'value'; value: Value }
  | { kind: 'call'; name: string; args: Operand[] }
  | { kind: '+' | '-'; args: Operand[] };
export type Condition = {
  kind: Exclude<ConditionTree, CallTree>['kind'] | 'call';
  name?: string;
  args: (Operand | Condition)[];
};
export type Action = { section: Section; path: Path; value?: Operand };
