import type { AuditVersionChange, CategoryVersionChange } from '../../shared/explanation/version-changes.ts';
import { pointsText } from '../../shared/explanation/words.ts';
import type { Section } from './section.ts';

/** Most audits of a category that have a line of their own, and most names of a line. */
const MAX_AUDITS = 10;

/** Returns what another version of Lighthouse changes, category by category: the audits that count, and how many do not. Shared loads have no noise. */
export const versionSections = (changes: readonly CategoryVersionChange[], { isShared = false } = {}): Section[] =>
  changes.map(({ category, title, base, value, audits, otherPoints }) => {
    const counting = audits.filter(({ baseWeight, weight }) => (baseWeight ?? 0) > 0 || (weight ?? 0) > 0);
    const more = counting.length - MAX_AUDITS;
    const others = pointsText(otherPoints);
    const metrics = `the metrics, ${isShared ? 'from the same loads' : 'which have noise'}`;
    const entries = [
      ...counting.slice(0, MAX_AUDITS).map(entryOf),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(others ? [`${category === 'performance' ? metrics : 'the other audits'}: ${others}`] : []),
      ...withoutWeight(audits.filter((audit) => !counting.includes(audit))),
      ...(audits.length === 0 ? ['the same audits with the same weights'] : []),
    ];
    return {
      id: category,
      title: `${title} ${base ?? 'none'} → ${value ?? 'none'}`,
      columns: ['Audit'],
      kind: 'list',
      rows: entries.map((name) => ({ name, cells: [] })),
    };
  });

const entryOf = (change: AuditVersionChange): string => {
  const points = pointsText(change.points);
  return `“${change.title}” ${changeText(change)}${points && `: ${points}`}`;
};

/** Returns what the other version does with an audit, as the predicate of a sentence. */
export const changeText = ({
  kind,
  baseAudit,
  audit,
  baseWeight,
  weight,
  baseScore,
  score,
}: AuditVersionChange): string => {
  if (kind === 'gone') return `is gone, and had the weight ${baseWeight}`;
  if (kind === 'new') return `is new, with the weight ${weight}`;
  if (kind === 'score') return `scores ${percent(score)} instead of ${percent(baseScore)}`;
  const weights = baseWeight === weight ? '' : ` (weight ${baseWeight} → ${weight})`;
  if (kind === 'renamed') return `was named ${baseAudit} and is named ${audit}${weights}`;
  if (baseWeight === 0) return `counts now, with the weight ${weight}`;
  return weight === 0
    ? `does not count any more, and had the weight ${baseWeight}`
    : `has the weight ${weight} instead of ${baseWeight}`;
};

const percent = (score: number | null): string => (score === null ? 'nothing' : `${Math.round(score * 100)}`);

/** Returns the audits that never change the score, by what happened to them. */
const withoutWeight = (audits: readonly AuditVersionChange[]): string[] => {
  const named = (kind: AuditVersionChange['kind'], text: string) => {
    const found = audits.filter((each) => each.kind === kind);
    const names = found.map(({ baseAudit, audit }) => (baseAudit ? `${baseAudit} → ${audit}` : audit));
    const more = names.length > MAX_AUDITS ? ` and ${names.length - MAX_AUDITS} more` : '';
    return found.length === 0 ? [] : [`${text} without weight: ${names.slice(0, MAX_AUDITS).join(', ')}${more}`];
  };
  return [...named('gone', 'gone'), ...named('renamed', 'renamed'), ...named('new', 'new')];
};
