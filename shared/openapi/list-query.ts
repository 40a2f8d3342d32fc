import { z } from 'zod';
import { acceptedParameters, ListParameters, type ParameterName } from '../list-parameters.ts';

/** Returns the documented query parameters of a list. */
export const listQuery = (without: ParameterName, required: { [Name in ParameterName]?: true } = {}) => {
  const shape = Object.entries(ListParameters.omit({ [without]: true } as never).shape).map(([name, schema]) => {
    const own = required[name as ParameterName] ? (schema as z.ZodOptional).unwrap() : schema;
    const meta = { ...(own as z.ZodType).meta(), description: acceptedParameters[name as ParameterName] };
    return [name, (own as z.ZodType).meta({ ...meta, id: undefined })];
  });
  return z.object(Object.fromEntries(shape));
};

/** Ids of the entries of a page that this release can't read. */
export const unreadable = z
  .array(z.uuid())
  .optional()
  .describe('Ids of entries of this page whose stored data this release can not read. Absent if there are none.');
