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

/**
 * Returns a schema that validates all, and that clients see in short. Every agent reads the list of tools before it does
 * anything. The error of a wrong input says the rest, and an answer shows its fields.
 */
export const readable = <Schema extends z.ZodObject>(schema: Schema) => ({
  '~standard': {
    ...schema['~standard'],
    jsonSchema: { input: () => briefOf(schema, 'input'), output: () => briefOf(schema, 'output') },
  },
});

const briefOf = (schema: z.ZodObject, io: 'input' | 'output'): Json => {
  const { type, properties, required, additionalProperties } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    metadata: withoutIds,
  }) as Json & { properties: Record<string, Json> };
  const shown = Object.entries(properties).map(([name, property]) => [
    name,
    io === 'input' ? brief(property) : { type: typeOf(property) },
  ]);
  return { type, properties: Object.fromEntries(shown), ...(io === 'input' && { required, additionalProperties }) };
};

/** Returns the type, choices and description of a schema, without `$ref`: some clients drop all tools that have one. */
const brief = (schema: Json): Json => {
  const { description, default: preset, enum: choices, minimum, maximum, items } = schema;
  const fields = fieldsOf(schema);
  const named = fields.length > 0 ? `Fields: ${fields.join(', ')}.` : '';
  const text = [firstSentences(`${description ?? ''}`), named].filter(Boolean).join(' ');
  return {
    type: typeOf(schema),
    ...(Array.isArray(choices) && choices.length < 10 && { enum: choices }), // the error of a wrong one lists more
    ...(items !== undefined && { items: brief(items as Json) }),
    ...(preset !== undefined && { default: preset }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(text && { description: text }),
  };
};

/** Returns the sentences at the beginning that have 100 characters together, and at least one. */
const firstSentences = (text: string): string => /^.{0,99}[.!](?=\s|$)/s.exec(text)?.[0] ?? text.split('. ')[0] ?? text;

const choicesOf = ({ anyOf }: Json): Json[] => (anyOf as Json[] | undefined) ?? [];

const fieldsOf = (schema: Json): string[] => [
  ...Object.keys((schema.properties as Json | undefined) ?? {}),
  ...choicesOf(schema).flatMap(fieldsOf),
];

const typeOf = (schema: Json): unknown => {
  const types = [...new Set([schema, ...choicesOf(schema)].flatMap(({ type }) => type ?? []))];
  return types.length === 1 ? types[0] : types;
};
