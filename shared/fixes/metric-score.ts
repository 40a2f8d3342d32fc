/** The two points that define a metric's scoring curve: the value that scores 0.5, and the value that scores 0.9. */
export type ScoringOptions = { median: number; p10: number };

const INVERSE_ERFC_ONE_FIFTH = 0.9061938024368232;
const JUST_BELOW_PASSING = 0.9 - Number.EPSILON / 2;
const JUST_BELOW_AVERAGE = 0.5 - Number.EPSILON / 4;

/**
 * Returns the score of a metric's value, from 0 to 1 in steps of 0.01. Lighthouse 11 to 13 compute it so, from a log-normal
 * distribution. A test compares all three versions with this function.
 */
export const metricScore = (options: ScoringOptions, value: number): number => {
  const share = shareAbove(options, value);
  const boosted = share > 0.9 ? share + 0.05 * (share - 0.9) : share; // so that more of the best values score 1
  return Math.floor(boosted * 100) / 100;
};

/** Returns the share of the distribution that is greater than a value. Rounding moves no value into another range. */
export const shareAbove = ({ median, p10 }: ScoringOptions, value: number): number => {
  if (value <= 0) return 1;
  const x = (Math.log(value / median) * INVERSE_ERFC_ONE_FIFTH) / -Math.log(p10 / median);
  const share = (1 - erf(x)) / 2;
  if (value <= p10) return clamp(share, 0.9, 1);
  return value <= median ? clamp(share, 0.5, JUST_BELOW_PASSING) : clamp(share, 0, JUST_BELOW_AVERAGE);
};

const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(max, value));

/** Returns the error function of a number, by formula 7.1.26 of Abramowitz and Stegun, as Lighthouse does. */
const erf = (x: number): number => {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - polynomial * Math.exp(-x * x));
};
