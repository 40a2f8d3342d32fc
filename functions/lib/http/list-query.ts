import { z } from 'zod';
import { resolveAuditVersion } from '../../../shared/audit-versions.ts';
import { acceptedParameters, ListParameters, type ParameterName } from '../../../shared/list-parameters.ts';
import { pick } from '../../../shared/pick.ts';
import { canonicalUrl, listKeyOf, type Position, type Range } from '../store/lists.ts';
import type { Request } from './endpoint.ts';
import { invalidInput, parseFields } from './input.ts';

/** Returns the opaque text of a position. The partition is not in it, so a forged cursor stays within its owner's list. */
export const cursorOf = ({ createdAt, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

const Cursor = z.string().transform((text, context): Position => {
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

type Parameters = Omit<z.output<typeof ListParameters>, 'cursor'> & { cursor?: Position | undefined };

/** Returns the parameters of a list that is sorted by time. */
export const parseListQuery = (request: Pick<Request, 'rawQuery'>): Parameters =>
  parseQueryWith(ListParameters.extend({ cursor: Cursor.optional() }), request);

/** Returns the parameters of a list. Throws one problem that lists everything wrong with them. */
export const parseQueryWith = <Shape extends Partial<Record<ParameterName, z.ZodType>>>(
  parameters: z.ZodObject<Shape>,
  { rawQuery }: Pick<Request, 'rawQuery'>,
): z.output<z.ZodObject<Shape>> => {
  const search = new URLSearchParams(rawQuery);
  const once = Object.fromEntries(search);
  const sent = { ...once, ...(search.has('label') && { label: search.getAll('label') }) };
  const names = Object.keys(parameters.shape) as ParameterName[];
  const { fields, errors } = parseFields(parameters as z.ZodObject, pick(acceptedParameters, names), sent);
  const repeated = names.filter((name) => name !== 'label' && search.getAll(name).length > 1);
  const { createdAfter = '', createdBefore = '~' } = fields as Partial<Parameters>;
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

/** Returns the part of the list that the parameters ask for, after a sort key if one is given. */
export const rangeOf = ({ createdAfter, createdBefore, cursor }: Parameters, from?: string): Range => {
  const befores = [createdBefore, from ?? (cursor && listKeyOf(cursor))].filter((each) => each !== undefined);
  return {
    after: createdAfter && `${createdAfter}~`, // after each item of that time
    before: befores.sort()[0],
  };
};

type Facts = {
  url: string;
  device?: string | undefined;
  auditVersion: string;
  labels?: Record<string, string> | undefined;
};

type Filters = Pick<Parameters, 'url' | 'device' | 'label'> & { auditVersion?: string | undefined };

/** Returns a filter for the parameters that every entry of a list can be judged by. */
export const matcherOf = ({ url, device, auditVersion, label }: Filters) => {
  const wanted = {
    url: url && canonicalUrl(url),
    version: auditVersion && resolveAuditVersion(auditVersion),
    labels: label.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1)] as const),
  };
  const isFiltered = Boolean(url || device || auditVersion || label.length > 0);
  const matches = (entry: Facts): boolean =>
    (!wanted.url || canonicalUrl(entry.url) === wanted.url) &&
    (!device || (entry.device ?? 'mobile') === device) &&
    (!wanted.version || entry.auditVersion === wanted.version) &&
    wanted.labels.every(([name, value]) => Object.hasOwn(entry.labels ?? {}, name) && entry.labels?.[name] === value);
  return { isFiltered, matches };
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
