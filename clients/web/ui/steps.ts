import { useEffect, useState } from 'preact/hooks';

/** Rows that the page renders at once. More would block it for longer than 100 ms. */
const STEP = 10;

/** Returns how many rows of a long table to render: more from step to step, so that the page stays responsive. */
export const useSteps = (length: number): number => {
  const [count, setCount] = useState(STEP);
  useEffect(() => {
    if (count >= length) return;
    const timer = setTimeout(() => setCount(count + STEP));
    return () => clearTimeout(timer);
  }, [count, length]);
  return count;
};
