import { z } from 'zod';
import { type ListName, listParameter, type ParameterOf } from '../list-parameters.ts';
import { ListParameters } from '../list-parameters-schemas.ts';

/** Returns the documented query parameters of a list. */
export const listQuery = <List extends ListName>(list: List): Record<ParameterOf<List>, z.ZodType> => {
  const documented = ([name, schema]: [string, z.ZodType]) => {
    const description = listParameter(name as ParameterOf<List>).accepted;
    return [name, schema.meta({ ...schema.meta(), description, id: undefined })];
  };
  return Object.fromEntries(Object.entries<z.ZodType>(ListParameters[list].shape).map(documented));
};

/** Labels of an upload, as a list takes them. */
export const labelParameter = ListParameters.checks.shape.label;

/** Ids of the entries of a page that this release can't read. */
export const unreadable = z
  .array(z.uuid())
  .optional()
  .describe('Ids of entries of this page whose stored data this release can not read. Absent if there are none.');
