import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import { labels } from '../../words/numbers.ts';

/** Verdicts of one more check about the changes that the comparison with the base only suspects. */
export type Confirmation = {
  /** Id of that check. Null if there is none. */
  checkId: string | null;
  /** It audits the page in turns with the page of the base, or once more alone. */
  by: 'turns' | 'again';
  /** `confirmed` if a suspected change is one, `refuted` if none is, and `open` if that is still unknown. */
  state: 'confirmed' | 'refuted' | 'open';
  changes: readonly { region: string; metric: MetricName; verdict: string; text: string }[];
  /** Why nothing is known. Null if the check was made. */
  problem: string | null;
};

const beginnings = { confirmed: 'Confirmed', refuted: 'Not confirmed', open: 'Neither confirmed nor refuted' } as const;

/** Returns what one more check says about the suspected changes. */
export const confirmationText = ({ checkId, by, state, changes, problem }: Confirmation): string => {
  const how = by === 'turns' ? 'in turns with the page of the base' : 'by a further check';
  const texts = changes.map(({ region, metric, text }) => `${region} ${labels[metric]} ${text}`);
  const where = checkId === null ? '' : ` (check ${checkId})`;
  return `${beginnings[state]} ${how}${where}: ${problem ?? `${texts.join('; ')}.`}`;
};
