import { optionNames, options } from '../../../shared/options/audit-options.ts';
import { againstNames } from '../../../shared/options/variants.ts';

/** Most URLs that a form audits at once. */
export const MAX_URLS = 20;

/** The options whose field follows from their table. */
export const optionFields = optionNames.flatMap((name) => {
  const row = options[name];
  return 'field' in row ? [{ name, title: row.title, ...row.field }] : [];
});

/** The fields of `optionFields` that the second variant may change. */
export const variantFields = optionFields.filter(({ name }) => (againstNames as readonly string[]).includes(name));
