import { useMemo, useState } from 'preact/hooks';

/** A check that its reader has chosen for a comparison, with words that distinguish it from others. */
export type ChosenCheck = { id: string; createdAt: string; text: string };

/** Returns the newest two chosen checks, and what changes them. */
export const useChosenChecks = () => {
  const [checks, setChecks] = useState<readonly ChosenCheck[]>([]);
  return useMemo(() => {
    const toggle = (check: ChosenCheck) =>
      setChecks((before) =>
        before.some(({ id }) => id === check.id)
          ? before.filter(({ id }) => id !== check.id)
          : [...before, check].slice(-2),
      );
    return { checks, toggle, clear: () => setChecks([]) };
  }, [checks]); // rows that have not changed are not rendered again
};

export type ChosenChecks = ReturnType<typeof useChosenChecks>;

/** The box that chooses a check of a list. */
export const ChooseBox = ({ check, chosen }: { check: ChosenCheck; chosen: ChosenChecks }) => (
  <input
    type="checkbox"
    aria-label={`Compare: ${check.text}`}
    checked={chosen.checks.some(({ id }) => id === check.id)}
    onChange={() => chosen.toggle(check)}
  />
);

/** Returns the address of a comparison. The earlier check is its base. */
export const comparisonOf = (checks: readonly Pick<ChosenCheck, 'id' | 'createdAt'>[]): string =>
  `/comparisons/${checks
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ id }) => id)
    .join('...')}`;

/** The chosen checks at the lower edge of the window, and the link to their comparison. Nothing without a choice. */
export const ChosenBar = ({ chosen: { checks, clear } }: { chosen: ChosenChecks }) => (
  <div class="chosen" role="status">
    {checks.length > 0 && (
      <p class="panel row">
        <span class="grow">
          {checks.map(({ id, text }, i) => (
            <span key={id}>
              {i > 0 && ' and '}
              <a href={`/checks/${id}`}>
                <bdi>{text}</bdi>
              </a>
            </span>
          ))}
          {checks.length === 1 && '. Choose another check to compare it with.'}
        </span>
        {checks.length === 2 && (
          <a class="button primary" href={comparisonOf(checks)}>
            Before and after
          </a>
        )}
        <button type="button" onClick={clear}>
          Choose none
        </button>
      </p>
    )}
  </div>
);
