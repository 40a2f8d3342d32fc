/** Readings of a thread: the time on the clock of a trace, and how long the thread had waited for a CPU by then, in microseconds. */
export type ThreadWaits = [atUs: number, waitedUs: number][];
/** Waits for a CPU in a timed part. A thread without readings is missing, because its waits are unknown. */
export type Waits = {
  /** Main thread of each process that runs pages, by its pid. */
  pages: [pid: number, waits: ThreadWaits][];
  /** Threads on which a page may block, each with the pid of its process. */
  others: [pid: number, waits: ThreadWaits][];
  /** Time that all CPUs were busy, and the part of it that a hypervisor stole. Missing if the host does not report it. */
  cpus?: { busy: ThreadWaits; stolen: ThreadWaits };
  /** End of the readings, in microseconds of the trace's clock. The browser may record tasks until later. */
  endUs: number;
};

/** CPU use of the page's main thread, as a trace shows it. Times are in milliseconds, and null if they are unknown. */
export type MainThreadCpu = {
  /** Time that its tasks ran. */
  ranMs: number | null;
  /** Time that its tasks lost because their thread, or a thread that they blocked on, waited for a CPU. */
  waitedMs: number | null;
  /** True if that time may change a metric by more than its smallest difference. */
  matters: boolean;
  /** True if its tasks did not run for a time that may change a metric, and nothing known explains this time. */
  isUnexplained: boolean;
  /** True if the time was removed from the trace. */
  isCorrected: boolean;
};
