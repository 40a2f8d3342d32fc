import { z } from 'zod';
import { listParameter, type ParameterName } from '../list-parameters.ts';
import { ListParameters } from '../list-parameters-schemas.ts';

/** Returns the documented query parameters of a list. */
export const listQuery = <List extends keyof typeof ListParameters>(list: List) => {
  const documented = ([name, schema]: [string, z.ZodType]) => {
    const description = listParameter(name as ParameterName).accepted;
    return [name, schema.meta({ ...schema.meta(), description, id: undefined })];
  };
  const shape: Record<string, z.ZodType> = ListParameters[list].shape;
  return Object.fromEntries(Object.entries(shape).map(documented)) as Record<
    keyof (typeof ListParameters)[List]['shape'],
    z.ZodType
  >;
};

/** Labels of an upload, as a list takes them. */
export const labelParameter = ListParameters.checks.shape.label;

/** Ids of the entries of a page that this release can't read. */
export const unreadable = z
  .array(z.uuid())
  .optional()
  .describe('Ids of entries of this page whose stored data this release can not read. Absent if there are none.');
