/** Uses the CPU for a time, in milliseconds, so that this process handles no event meanwhile. */
export const holdLoop = (ms: number): void => {
  const before = process.threadCpuUsage();
  for (let usedUs = 0; usedUs < 1000 * ms; ) {
    const { user, system } = process.threadCpuUsage(before);
    usedUs = user + system;
  }
};
