import { assignmentForms, type Test as StoredTest, testForms } from '../../../functions/lib/store/expressions.ts';
import { invalid, unknown } from './errors.ts';
import { compare, typeOf, type Value } from './values.ts';

/* Reads the expressions that the stores write, and refuses all others, even if DynamoDB would accept them. */

/** The names of an attribute and of the maps that it is in. */
export type Path = string[];
type Read<Kind> = { kind: Kind; path: Path; values: Value[] };
export type Test = Read<StoredTest[1]>;
/** Condition or filter. It holds if one test of each clause passes. */
export type Condition = Test[][];
export type Action = Read<keyof typeof assignmentForms | 'remove'>;
/** Returns the name or the value of a placeholder. */
export type Placeholders = { nameFor: (placeholder: string) => string; valueFor: (placeholder: string) => Value };

const MAX_OPERATORS = 300;

/** Returns the pattern of a form. Its first group is the path, and the others are values. */
const patternOf = (form: string): RegExp => {
  const [start, ...rest] = form.replace(/[()+]/g, '\\$&').replaceAll(':', '(:\\w+)').split('#');
  return new RegExp(`^${start}(#\\w+(?:\\.#\\w+)*)${rest.join('\\1')}$`);
};

const readerOf = <Kind extends string>(forms: Record<Kind, string>) => {
  const patterns = Object.entries<string>(forms).map(([kind, form]) => [kind as Kind, patternOf(form)] as const);
  return (text: string, { nameFor, valueFor }: Placeholders): Read<Kind> => {
    for (const [kind, pattern] of patterns) {
      const [, path, ...values] = pattern.exec(text) ?? [];
      if (path) return { kind, path: path.split('.').map(nameFor), values: values.map(valueFor) };
    }
    throw unknown(`the expression "${text}"`);
  };
};
const readTest = readerOf(testForms);
const readAssignment = readerOf(assignmentForms);
const readRemoval = readerOf({ remove: '#' });

export const conditionIn = (text: string, placeholders: Placeholders): Condition => {
  const clauses = text.split(/ AND (?!:)/); // a value follows the AND of BETWEEN
  const condition = clauses.map((clause) => {
    const [, alternatives] = /^\((.+ OR .+)\)$/.exec(clause) ?? [];
    return (alternatives?.split(' OR ') ?? [clause]).map((test) => readTest(test, placeholders));
  });
  const tests = condition.flat();
  const operators = tests.flatMap(({ kind }) => (/^(lacks|outside|size)/.test(kind) ? [kind, kind] : [kind]));
  if (operators.length + tests.length - 1 > MAX_OPERATORS) throw invalid('The expression contains too many operators');
  for (const { kind, values } of tests) checkValues(kind, values);
  return condition;
};

const checkValues = (kind: StoredTest[1], [first, second]: Value[]): void => {
  if (kind === 'begins with' && first?.S === undefined) throw unknown('begins_with of another type than a text');
  if (!first || !second) return;
  if (typeOf(first) !== typeOf(second)) throw invalid('The bounds of BETWEEN have different types');
  if ((compare(first, second) ?? 0) > 0) throw invalid('The upper bound of BETWEEN is below its lower bound');
};

export const actionsIn = (text: string, placeholders: Placeholders): Action[] => {
  const [all, set, removed, remove = removed] = /^(?:SET (.+?)(?: REMOVE (.+))?|REMOVE (.+))$/.exec(text) ?? [];
  if (!all) throw unknown(`the expression "${text}"`);
  const actions: Action[] = [
    ...(set?.split(/, (?=#)/) ?? []).map((each) => readAssignment(each, placeholders)),
    ...(remove?.split(', ') ?? []).map((path) => readRemoval(path, placeholders)),
  ];
  if (actions.some(({ kind, values }) => kind === 'add' && values.some(({ N }) => N === undefined)))
    throw invalid('Incorrect operand type of +');
  const paths = actions.map(({ path }) => `${JSON.stringify(path).slice(0, -1)},`);
  for (const [i, path] of paths.entries())
    if (paths.some((other, at) => at !== i && other.startsWith(path)))
      throw invalid(`Invalid UpdateExpression: Two document paths overlap with each other: ${path}`);
  return actions;
};
