import { z } from 'zod';
import { listParameter, type ParameterName } from '../../../shared/list-parameters.ts';
import { type Keyed, ListParameters } from '../../../shared/list-parameters-schemas.ts';
import { recordOf } from '../../../shared/record.ts';
import { listKeyOf, type Position, type Range } from '../store/lists.ts';
import type { Request } from './endpoint.ts';
import { invalidInput, parseFields } from './input.ts';

/** Returns the opaque text of a position. The partition is not in it, so a forged cursor stays within its owner's list. */
export const cursorOf = ({ createdAt, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** The text of a position, which it parses. */
export const Cursor = z.string().transform((text, context): Position => {
  const parsed = z.tuple([z.iso.datetime(), z.uuid()]).safeParse(fromBase64Json(text));
  if (parsed.success) return { createdAt: parsed.data[0], id: parsed.data[1] };
  context.addIssue('invalid');
  return z.NEVER;
});

export const fromBase64Json = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** Returns the parameters of a list of checks that is sorted by time. */
export const parseCheckList = (request: Pick<Request, 'rawQuery'>) =>
  parseQueryWith(ListParameters.checks.extend({ cursor: Cursor.optional() }), request);

export const parseRunList = (request: Pick<Request, 'rawQuery'>) =>
  parseQueryWith(ListParameters.runs.extend({ cursor: Cursor.optional() }), request);

export const parseMarkList = (request: Pick<Request, 'rawQuery'>) => parseQueryWith(ListParameters.marks, request);

/** Returns the parameters of a list. Throws one problem that lists everything wrong with them. */
export const parseQueryWith = <Shape extends Partial<Record<ParameterName, z.ZodType>>>(
  parameters: z.ZodObject<Shape>,
  { rawQuery }: Pick<Request, 'rawQuery'>,
): z.output<z.ZodObject<Shape>> => {
  const search = new URLSearchParams(rawQuery);
  const once = Object.fromEntries(search);
  const sent = { ...once, ...(search.has('label') && { label: search.getAll('label') }) };
  const names = Object.keys(parameters.shape) as ParameterName[];
  const accepted = recordOf(names, (name) => listParameter(name).accepted);
  const { fields, errors } = parseFields(parameters as z.ZodObject, accepted, sent);
  const repeated = names.filter((name) => name !== 'label' && search.getAll(name).length > 1);
  const { createdAfter = '', createdBefore = '~' } = fields as { createdAfter?: string; createdBefore?: string };
  const all = [
    ...errors,
    ...repeated.map((path) => ({ path, message: 'Send this parameter once.' })),
    ...(createdAfter >= createdBefore
      ? [{ path: 'createdBefore', message: '`createdBefore` must be later than `createdAfter`.' }]
      : []),
  ];
  if (all.length > 0) throw invalidInput(all);
  return fields as z.output<z.ZodObject<Shape>>;
};

/** The bound of the sort key that each parameter sets. Entries of that time are out. */
const bounds = {
  createdAfter: (time) => ({ after: `${time}~` }),
  createdBefore: (time) => ({ before: time }),
} satisfies Record<Keyed, (time: string) => Range>;

type Bounded = { [Name in Keyed]?: string | undefined } & { cursor?: Position | undefined };

/** Returns the part of the list that the parameters ask for, after a sort key if one is given. */
export const rangeOf = ({ cursor, ...given }: Bounded, from = cursor && listKeyOf(cursor)): Range => {
  const set = Object.entries(bounds).map(([name, boundOf]): Range => {
    const time = given[name as Keyed];
    return time === undefined ? {} : boundOf(time);
  });
  const befores = [...set.map(({ before }) => before), from].filter((each) => each !== undefined);
  return { after: set.find(({ after }) => after)?.after, before: befores.sort()[0] };
};

/** Returns the headers of a page: a link to the next one (RFC 8288), if there is one. */
export const pageHeaders = (
  { path, rawQuery }: Pick<Request, 'path' | 'rawQuery'>,
  next: string | null,
): Record<string, string> => {
  if (next === null) return {};
  const query = new URLSearchParams(rawQuery);
  query.set('cursor', next);
  return { link: `<${path}?${query}>; rel="next"` };
};
