import { type EnvOf, type FunctionName, functionRows } from '../../shared/service/functions.ts';

/** Returns the variables of a function, parsed by its row. Throws if one is missing or invalid. */
export const envOf = <Name extends FunctionName>(name: Name): EnvOf<Name> =>
  functionRows[name].env.parse(process.env) as EnvOf<Name>;
