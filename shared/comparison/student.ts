/** Steps of the sums from which a quantile is read. It then has four correct digits or more. */
const STEPS = 4096;
const known = new Map<string, number>();

/** Returns how many standard errors an interval of Student's t reaches to each side, to hold the truth with this confidence. */
export const studentReach = (confidence: number, freedom: number): number => {
  const key = `${confidence},${freedom.toFixed(6)}`;
  const reach = known.get(key) ?? newReach(1 - confidence, freedom);
  known.set(key, reach);
  return reach;
};

/** With t = √freedom × tan(angle), the density of t is a power of the cosine of the angle. */
const newReach = (outside: number, freedom: number): number => {
  const step = Math.PI / 2 / STEPS;
  const areas = Array.from({ length: STEPS }, (_, i) => Math.cos((i + 0.5) * step) ** (freedom - 1));
  const limit = outside * areas.reduce((sum, area) => sum + area, 0);
  let [index, sum] = [STEPS, 0];
  while (index > 0 && sum < limit) sum += areas[--index] as number;
  const rest = (sum - limit) / (areas[index] as number);
  return Math.sqrt(freedom) * Math.tan((index + rest) * step);
};
