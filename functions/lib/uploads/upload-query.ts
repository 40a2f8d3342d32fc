import { z } from 'zod';
import { SentOptions } from '../../../shared/options/audit-options-schemas.ts';
import { acceptedLabels } from '../../../shared/options/labels.ts';
import type { Request } from '../http/endpoint.ts';
import { invalidInput, parseFields } from '../http/input.ts';
import { MAX_URL_LENGTH } from '../targets/public-addresses.ts';

const acceptedUrl =
  'The URL must start with http:// or https://, such as https://example.com/. Default: that of the report.';
const Query = z.object({
  url: z
    .string()
    .max(MAX_URL_LENGTH)
    .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
    .optional(),
  label: SentOptions.shape.labels,
});

/** Returns the page and the labels of an upload. A label is `name:value`, as in a list. */
export const parseUploadQuery = ({ rawQuery }: Pick<Request, 'rawQuery'>) => {
  const search = new URLSearchParams(rawQuery);
  const pairs = search.getAll('label').map((text) => {
    const [name = ''] = text.split(':', 1);
    return [name, text.slice(name.length + 1)] as const;
  });
  const sent = { url: search.get('url') ?? undefined, ...(pairs.length > 0 && { label: Object.fromEntries(pairs) }) };
  const label = `${acceptedLabels} Send each as label=name:value.`;
  const { fields, errors } = parseFields(Query, { url: acceptedUrl, label }, sent);
  const names = pairs.map(([name]) => name);
  const all = [
    ...errors,
    ...(search.getAll('url').length > 1 ? [{ path: 'url', message: 'Send this parameter once.' }] : []),
    ...names
      .filter((name, i) => names.indexOf(name) < i)
      .map((name) => ({ path: `label.${name}`, message: 'Send each label once.' })),
  ];
  if (all.length > 0) throw invalidInput(all);
  return { url: fields.url, labels: fields.label ?? {} };
};
