import { type FieldHistory, formFactorOf } from '../../../shared/field-data-schemas.ts';
import { devices } from '../../../shared/options/audit-options.ts';
import type { FieldDataStore } from '../store/field-data.ts';
import { namesOf } from './public-page.ts';

/** Returns the stored history of a page, or else that of its origin. */
export const historyOfPage = async (
  kept: Pick<FieldDataStore, 'find'>,
  pageUrl: string,
  device: string | undefined,
): Promise<FieldHistory | null> => {
  if (!URL.canParse(pageUrl)) return null;
  const formFactor = formFactorOf(devices.find((each) => each === device));
  const { url, origin } = namesOf(pageUrl);
  const [ofPage, ofOrigin] = await Promise.all([kept.find(url, formFactor), kept.find(origin, formFactor)]);
  return ofPage?.history ?? (ofPage ? (ofOrigin?.history ?? null) : null);
};
