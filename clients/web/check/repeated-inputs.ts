import type { CheckView } from '../../../shared/check.ts';
import { plainOptionNames } from '../../../shared/options/audit-options.ts';

/** Returns the inputs of a check that its answer repeats. It has no secrets. */
export const inputsOfCheck = (check: CheckView) =>
  Object.fromEntries(
    (['url', 'auditVersion', 'regions', ...plainOptionNames] as const)
      .filter((name) => check[name] !== undefined)
      .map((name) => [name, check[name]]),
  );
