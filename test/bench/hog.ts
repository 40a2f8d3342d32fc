import { newFolder, startNode } from './children.ts';

/** Length of a burst of CPU use, and of a burst with the pause after it. In milliseconds. */
const BURST_MS = 5000;
const PERIOD_MS = 15_000;

/** Starts a process that uses one core for a third of the time, as a build or a backup would. */
export const startHog = () => {
  const code = `const burst = () => { const end = Date.now() + ${BURST_MS}; while (Date.now() < end); };
    burst(); setInterval(burst, ${PERIOD_MS});`;
  return startNode(['-e', code], { folder: newFolder() });
};
