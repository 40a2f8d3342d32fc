import type { z } from 'zod';
import { type ApiProblemCode, ApiProblemError, type InputError } from '../../../shared/problems.ts';
import { cutText } from '../../../shared/text.ts';

const MAX_ERRORS = 50;
const MAX_PATH = 100; // in characters, because a client chooses the names of unknown fields

/** Names of the parameters that hold an id. Clients may send ids in upper case. */
const idNames = ['checkId', 'runId', 'webhookId', 'deliveryId', 'scheduleId', 'markId', 'badge'];

/** Returns the parameters of a path or a query with their ids in lower case, as they are stored. */
export const withLowerCaseIds = (
  sent: Record<string, string | undefined> | null | undefined,
): Record<string, string | undefined> => ({
  ...sent,
  ...Object.fromEntries(
    idNames.flatMap((name) => (sent?.[name] === undefined ? [] : [[name, sent[name].toLowerCase()]])),
  ),
});

export const parseQuery = (sent: Record<string, string | undefined>, accepted: readonly string[] | 'any') => {
  if (accepted === 'any') return sent;
  const supported =
    accepted.length > 0 ? `Accepted parameters: ${accepted.join(', ')}.` : 'This path accepts no parameters.';
  const errors = Object.keys(sent)
    .filter((name) => !accepted.includes(name))
    .map((name) => ({ path: name, message: `Unknown parameter. ${supported}` }));
  if (errors.length > 0) {
    throw invalidInput(errors, `The query has an unknown parameter. ${supported}`);
  }
  return sent;
};

/** Says what each field takes. Without a text, the messages of the field's schema are for users. */
export type Accepted<Name extends PropertyKey> = Record<Name, string | undefined>;

/**
 * Judges each field of a JSON object by its schema. Returns the valid fields, and an error for each other field. The
 * answer does not show the messages of the schema library, because users can't act on them.
 */
export const parseFields = <Shape extends Record<string, z.ZodType>>(
  { shape }: z.ZodObject<Shape>,
  accepted: Accepted<keyof Shape>,
  value: unknown,
): { fields: Partial<z.output<z.ZodObject<Shape>>>; errors: InputError[] } => {
  const known = `Accepted fields: ${Object.keys(shape).join(', ')}.`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiProblemError('invalid-request', `The body must be a JSON object. ${known}`);
  }
  const sent = value as Record<string, unknown>;
  const fields: Record<string, unknown> = {};
  const errors: InputError[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const parsed = schema.safeParse(sent[name]);
    if (parsed.success) fields[name] = parsed.data;
    else
      for (const { path, message } of parsed.error.issues.flatMap(issuesOf))
        errors.push({ path: [name, ...path].join('.'), message: accepted[name] ?? message });
  }
  for (const name of Object.keys(sent)) {
    if (!Object.hasOwn(shape, name)) errors.push({ path: name, message: `Unknown field. ${known}` });
  }
  return { fields: fields as Partial<z.output<z.ZodObject<Shape>>>, errors };
};

/** Returns the issues of the form that the client meant, if a field has several: the first one that accepts the kind of value. */
const issuesOf = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union' || issue.path.length > 0) return [issue];
  return issue.errors.find((branch) => branch.every(({ path }) => path.length > 0)) ?? issue.errors[0] ?? [issue];
};

/** Returns the problem that lists these errors. Its code and its default detail are those of the first error. */
export const invalidInput = (errors: readonly (InputError & { code?: ApiProblemCode })[], detail?: string) => {
  const [{ code = 'invalid-request', message = '' } = {}] = errors;
  return new ApiProblemError(code, detail ?? message, {
    errors: errors
      .slice(0, MAX_ERRORS)
      .map((error) => ({ path: cutText(error.path, MAX_PATH), message: error.message })),
  });
};
