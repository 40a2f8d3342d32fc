import { Option } from 'commander';
import {
  type ListName,
  listParameter,
  type ParameterName,
  type ParameterOf,
  parametersOf,
} from '../../../shared/list-parameters.ts';
import { label } from '../flags/flag-values.ts';

/** Returns the flag of a parameter, if it has one. */
const flagOf = (name: ParameterName): Option[] => {
  const { flag: row, values } = listParameter(name);
  if (!row) return [];
  const flag = new Option(row.name, row.help);
  if (name === 'label') flag.argParser(label);
  return [values ? flag.choices(values) : flag];
};

const flagsOf = <List extends ListName>(list: List) =>
  parametersOf(list).flatMap((name) => flagOf(name).map((flag) => ({ name, flag })));

/** Returns the flags that choose the results of a badge. */
export const badgeFlags = (): Option[] => (['device', 'region', 'label'] as const).flatMap(flagOf);

/** Returns the flags of a command for the filters of its list. */
export const filterFlags = (list: ListName): Option[] => flagsOf(list).map(({ flag }) => flag);

/** Returns the filters of a list that the flags give, as the API takes them. */
export const filtersFrom = <List extends ListName>(list: List, given: object) => {
  const values = new Map(Object.entries(given));
  const filters = flagsOf(list).flatMap(({ name, flag }) => {
    const value = values.get(flag.attributeName());
    return value === undefined ? [] : [[name, name === 'label' ? labelFilters(value) : value]];
  });
  return Object.fromEntries(filters) as { [Name in Exclude<ParameterOf<List>, 'limit' | 'label'>]?: string } & {
    label?: string[];
  };
};

/** Returns labels as the lists of the service take them. */
const labelFilters = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}:${value}`);
