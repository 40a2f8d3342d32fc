import type { Sample } from '../metrics/page-metrics-schemas.ts';
import type { WorkShare } from '../metrics/steady-load.ts';
import { meanOf, squaresOf } from './noise.ts';
import type { WorkChange } from './schemas.ts';
import { medianOf } from './shift.ts';
import { studentReach } from './student.ts';

/** Chance that an interval holds the true ratio of two parts of the work. A page has several scripts. */
const CONFIDENCE = 0.999;
/** Fewest other parts of the work against which a script must have changed alike, and their least CPU time in milliseconds. */
const FEWEST_OTHERS = 3;
const LEAST_MS = 3;
/** Smallest change that counts: a share of the work, and milliseconds. */
const smallest = { share: 0.1, ms: 5 };

type Sides = Record<'before' | 'after', readonly Pick<Sample, 'steady'>[]>;
/** A part of the work of both sides: its CPU time in each load. */
type Part = Pick<WorkShare, 'name' | 'isScript'> & { before: number[]; after: number[] };

/**
 * Returns the scripts that work longer or shorter than before, by their CPU time. The speed of a machine changes all work
 * alike. So a script has changed only against most other parts of the work, and at least three of them.
 */
export const workChangesOf = (sides: Sides): Omit<WorkChange, 'region'>[] => {
  const parts = partsOf(sides);
  return parts.flatMap((script) => {
    if (!script.isScript) return [];
    const others = parts.filter((part) => part !== script).map((part) => changeAgainst(script, part));
    const [longer, shorter] = [others.filter(({ low }) => low > 0), others.filter(({ high }) => high < 0)];
    const agreeing = longer.length > shorter.length ? longer : shorter;
    if (agreeing.length < FEWEST_OTHERS || agreeing.length <= others.length / 2) return [];
    const share = Math.exp(medianOf(agreeing.map(({ estimate }) => estimate))) - 1;
    const [base, value] = [meanOf(script.before), meanOf(script.after)];
    const counts = Math.abs(share) >= smallest.share && Math.abs(share) * base >= smallest.ms;
    return counts
      ? [{ script: script.name, share: rounded(share, 2), base: rounded(base, 0), value: rounded(value, 0) }]
      : [];
  });
};

/** Smallest change of all work that is one of the machine's speed, as a logarithm, and the share of the work that must agree. */
const [SPEED, AGREEING] = [Math.log(1.12), 0.8];

/**
 * Returns true if nearly all work of the page takes longer, or shorter: then the machine had another speed, or all of the page
 * changed. The longest part proves nothing, because it may be the one that changed.
 */
export const hasOtherSpeed = (sides: Sides): boolean => {
  const parts = partsOf(sides).map(({ before, after }) => {
    const ms = meanOf(before);
    return { ms, ratio: Math.log(meanOf(after) / ms) };
  });
  if (parts.length <= FEWEST_OTHERS) return false;
  const usual = medianOf(parts.map(({ ratio }) => ratio));
  const others = parts.toSorted((a, b) => b.ms - a.ms).slice(1);
  const sum = (some: typeof parts) => some.reduce((all, { ms }) => all + ms, 0);
  const agreeing = others.filter(({ ratio }) => ratio / usual >= 0.5);
  return Math.abs(usual) >= SPEED && agreeing.length >= FEWEST_OTHERS && sum(agreeing) >= AGREEING * sum(others);
};

/** Returns the parts of the work that all loads have and that take some time. */
const partsOf = ({ before, after }: Sides): Part[] => {
  const works = [before, after].map((loads) => loads.map(({ steady }) => steady?.work ?? []));
  const [first = []] = works[1] ?? [];
  return first.flatMap(({ name, isScript }) => {
    const times = works.map((loads) =>
      loads.map((work) => work.find((each) => each.name === name && each.isScript === isScript)?.ms ?? 0),
    );
    const [a = [], b = []] = times;
    const isKnown = a.length > 0 && [...a, ...b].every((ms) => ms > 0);
    return isKnown && Math.min(meanOf(a), meanOf(b)) >= LEAST_MS ? [{ name, isScript, before: a, after: b }] : [];
  });
};

/** Returns how the logarithm of the ratio of two parts has changed. Too few loads leave the interval without an end. */
const changeAgainst = (script: Part, other: Part) => {
  const [before, after] = (['before', 'after'] as const).map((side) =>
    script[side].map((ms, i) => Math.log(ms / (other[side][i] as number))),
  ) as [number[], number[]];
  const estimate = meanOf(after) - meanOf(before);
  const freedom = before.length + after.length - 2;
  const variance = freedom > 0 ? (squaresOf(before) + squaresOf(after)) / freedom : Number.POSITIVE_INFINITY;
  const error = Math.sqrt(variance * (1 / before.length + 1 / after.length));
  const reach = freedom > 0 ? studentReach(CONFIDENCE, freedom) * error : Number.POSITIVE_INFINITY;
  return { estimate, low: estimate - reach, high: estimate + reach };
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
