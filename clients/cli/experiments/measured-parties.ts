import type { CheckView } from '../../../shared/check.ts';
import type { CheckComparison } from '../../../shared/comparison/schemas.ts';
import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import type { ThirdParty } from '../../../shared/explanation/third-parties.ts';
import { reasonText } from '../formats/notes.ts';

/** Third parties that were blocked together, and how the page without them differs from the page as it is. */
export type BilledParties = {
  name: string;
  parties: readonly ThirdParty[];
  check: CheckView;
  /** Null if the check is unfinished or has failed. */
  base: CheckComparison | null;
  /** Why there is no verdict. */
  problem: string | null;
  explanation: CheckExplanation | null;
};

/** How much a page changes without its third parties. */
export type Bill = {
  /** The check of the page as it is, in which the third parties were found. */
  survey: CheckView;
  server: string | null;
  /** True if all regions are one place, so that the region's name says nothing. */
  isOnePlace: boolean;
  /** Each third party, and all of them together at the end. */
  rows: readonly BilledParties[];
  /** Further third parties, which were not blocked. */
  untried: readonly ThirdParty[];
};

/** The metrics of a bill, in the order of its columns. */
export const billedMetrics = ['performance', 'lcp', 'tbt', 'bytes'] as const;

/** The page without the third parties, in one word. */
export type BillVerdict = 'better' | 'worse' | 'mixed' | 'same' | 'unclear';

/** Returns the change of a metric when the third parties are blocked. */
export const changeIn = ({ base }: BilledParties, name: (typeof billedMetrics)[number]) => {
  const [region] = base?.regions ?? [];
  return region === undefined ? undefined : base?.metrics[name].regions[region];
};

/** Returns the gravest proved verdict about the score and the times. The bytes are no speed. */
export const billVerdict = (row: BilledParties): BillVerdict => {
  const verdicts = (['performance', 'lcp', 'tbt'] as const).map((name) => changeIn(row, name)?.verdict ?? 'unknown');
  const [isBetter, isWorse] = [verdicts.includes('improved'), verdicts.includes('regressed')];
  if (isBetter && isWorse) return 'mixed';
  if (isBetter || isWorse) return isBetter ? 'better' : 'worse';
  return verdicts.includes('same') ? 'same' : 'unclear';
};

/** Returns the costs of the third parties together. */
export const costsOf = ({ parties }: BilledParties): { bytes: number; mainThreadMs: number } => ({
  bytes: parties.reduce((sum, party) => sum + party.bytes, 0),
  mainThreadMs: parties.reduce((sum, party) => sum + party.mainThreadMs, 0),
});

/** Returns what a reader of the row should know, without the name of the row. */
export const warningsIn = (row: BilledParties): string[] => {
  const { parties, check, base, explanation, problem } = row;
  const lcp = Object.values(explanation?.regions ?? {})[0]?.lcpElement;
  const frames = parties.filter(({ hasFrames }) => hasFrames).map(({ name }) => name);
  return [
    ...check.runs.flatMap(({ error }) => (error ? [`The audit failed: ${error.code}. ${error.message}`] : [])),
    ...(problem !== null && check.state === 'succeeded' ? [problem] : []),
    ...new Set((problem === null ? (base?.reasons ?? []) : []).map(({ code }) => reasonText(code))),
    ...(base === null && problem === null ? ['The command ended before its audits finished.'] : []),
    ...(lcp?.changed
      ? [
          `The page itself changed: its LCP element is ${elementText(lcp.value)} instead of ${elementText(lcp.base)}. Its LCP is the time of another element.`,
        ]
      : []),
    ...(frames.length > 0
      ? [`The frames of ${frames.join(', ')} still load, because Chromium blocks no documents.`]
      : []),
  ];
};

const elementText = ({ selector, snippet }: { selector: string | null; snippet: string | null }): string =>
  selector ?? snippet ?? 'another element';
