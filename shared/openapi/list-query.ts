import { z } from 'zod';
import { acceptedParameters, ListParameters, type ParameterName } from '../list-parameters.ts';

/** Returns the documented query parameters of a list. */
export const listQuery = <Name extends ParameterName>(
  names: readonly Name[],
  { required = {}, of = ListParameters }: { required?: { [Name in ParameterName]?: true }; of?: z.ZodObject } = {},
): Record<Name, z.ZodType> => {
  const documented = (name: Name): z.ZodType => {
    const schema = of.shape[name] as z.ZodType;
    const own = required[name] ? ((schema as z.ZodOptional).unwrap() as z.ZodType) : schema;
    return own.meta({ ...own.meta(), description: acceptedParameters[name], id: undefined });
  };
  return Object.fromEntries(names.map((name) => [name, documented(name)])) as Record<Name, z.ZodType>;
};

/** Ids of the entries of a page that this release can't read. */
export const unreadable = z
  .array(z.uuid())
  .optional()
  .describe('Ids of entries of this page whose stored data this release can not read. Absent if there are none.');
