import { invalid, type ServiceError } from './errors.ts';
import { valueAt } from './evaluate.ts';
import { addNumbers, negate } from './numbers.ts';
import type { Action, Operand, Path } from './resolved.ts';
import { type Item, isSet, typeOf, type Value } from './values.ts';

const wrongType = (): ServiceError => invalid('An operand in the update expression has an incorrect data type');

/** Changes an item by an update. All operands have the values of before the update. */
export const update = (item: Item, actions: readonly Action[]): void => {
  const assignments = actions.map((action) => ({
    path: action.path,
    value: action.section === 'remove' ? undefined : newValue(action, item),
  }));
  const changedLists = new Set<Value[]>();
  for (const { path, value } of assignments) assign(item, path, value, changedLists);
  closeGaps(changedLists);
};

const closeGaps = (lists: Set<Value[]>): void => {
  for (const list of lists) list.splice(0, list.length, ...list.filter((each) => each !== undefined));
};

/** Returns the value that an action leaves at its path, or undefined if it removes the attribute. */
const newValue = ({ section, path, value: operand }: Action, item: Item): Value | undefined => {
  const value = resolve(operand as Operand, item);
  const before = valueAt(path, item);
  if (section === 'set') return value;
  const type = typeOf(value);
  if (before && typeOf(before) !== type) throw wrongType();
  if (section === 'add' && type === 'N') return sum(before ?? { N: '0' }, value, '+');
  if (!isSet(type)) throw wrongType();
  const [old, given] = [before?.[type] ?? [], value[type] as string[]];
  if (section === 'add') return { [type]: [...old, ...given.filter((each) => !old.includes(each))] };
  const left = old.filter((each) => !given.includes(each));
  return left.length > 0 ? { [type]: left } : undefined;
};

const resolve = (operand: Operand, item: Item): Value => {
  if (operand.kind === 'value') return operand.value;
  if (operand.kind === 'path') {
    const value = valueAt(operand.path, item);
    if (!value) throw invalid('The provided expression refers to an attribute that does not exist in the item');
    return structuredClone(value); // another action may change the original
  }
  const [first, second] = operand.args as [Operand, Operand];
  if (operand.kind === 'call' && operand.name === 'if_not_exists')
    return valueAt((first as { path: Path }).path, item) ?? resolve(second, item);
  const [a, b] = [resolve(first, item), resolve(second, item)];
  if (operand.kind !== 'call') return sum(a, b, operand.kind);
  if (!a.L || !b.L) throw wrongType();
  return { L: [...a.L, ...b.L] };
};

const sum = ({ N: a }: Value, { N: b }: Value, sign: '+' | '-'): Value => {
  if (a === undefined || b === undefined) throw wrongType();
  const result = addNumbers(a, sign === '+' ? b : negate(b));
  if ('fault' in result) throw invalid(result.fault);
  return { N: result.number };
};

/** Sets or removes a value. Removed elements of a list stay as holes, so that the other indexes keep their meaning. */
const assign = (item: Item, path: Path, value: Value | undefined, changedLists: Set<Value[]>): void => {
  const last = path.at(-1) as string | number;
  const parent = valueAt(path.slice(0, -1), item);
  if (typeof last === 'string' ? !parent?.M : !parent?.L)
    throw invalid('The document path provided in the update expression is invalid for update');
  if (typeof last === 'string') {
    const map = parent?.M as Item;
    if (value === undefined) delete map[last];
    else setOwn(map, last, value);
    return;
  }
  const list = parent?.L as (Value | undefined)[];
  if (value === undefined && last >= list.length) return;
  changedLists.add(list as Value[]);
  list[last] = value;
};

/** Returns the parts of an item at some paths, as a projection or `UPDATED_NEW` shows them. */
export const partsOf = (item: Item, paths: readonly Path[]): Item => {
  const root: Value = { M: {} };
  const lists = new Set<Value[]>();
  for (const path of paths) {
    const found = valueAt(path, item);
    if (found) place(root, path, found, lists);
  }
  closeGaps(lists);
  return root.M as Item;
};

const place = (root: Value, path: Path, found: Value, lists: Set<Value[]>): void => {
  let parent = root;
  for (const [i, part] of path.entries()) {
    const next: Value = i === path.length - 1 ? found : typeof path[i + 1] === 'number' ? { L: [] } : { M: {} };
    if (typeof part === 'number') {
      parent.L ??= [];
      lists.add(parent.L);
      parent.L[part] ??= next;
      parent = parent.L[part];
    } else {
      parent.M ??= {};
      if (!Object.hasOwn(parent.M, part)) setOwn(parent.M, part, next);
      parent = parent.M[part] as Value;
    }
  }
};

/** Sets an attribute of any name, such as `__proto__`. */
const setOwn = (map: Item, name: string, value: Value): void => {
  Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
};
