import { z } from 'zod';

type Json = { [key: string]: unknown };

/** The metadata of schemas without their ids. A schema with an id would be a `$ref`. */
const withoutIds: typeof z.globalRegistry = Object.create(z.globalRegistry, {
  get: {
    value: (schema: z.ZodType) => {
      const { id: _, ...rest } = z.globalRegistry.get(schema) ?? {};
      return rest;
    },
  },
});

/** Returns a schema as JSON that every client can read: it has no `$ref`, and each choice has its types too. */
export const jsonSchemaOf = (schema: z.ZodObject, io: 'input' | 'output') =>
  withTypes(z.toJSONSchema(schema, { io, target: 'draft-7', metadata: withoutIds })) as Json & { type: 'object' };

const withTypes = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withTypes);
  if (typeof node !== 'object' || node === null) return node;
  const typed: Json = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withTypes(value)]));
  const choices = typed.anyOf as Json[] | undefined;
  if (!Array.isArray(choices) || typed.type !== undefined || choices.some(({ type }) => type === undefined))
    return typed;
  const types = [...new Set(choices.flatMap(({ type }) => type))];
  return { type: types.length === 1 ? types[0] : types, ...typed };
};
