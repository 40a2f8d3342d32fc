/** Returns the CPU time that work takes, in milliseconds. Other processes don't change it, unlike the time of a clock. */
export const cpuMsOf = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
