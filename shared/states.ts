/** States of a run, in the order in which it has them. */
export const runStates = ['created', 'running', 'succeeded', 'failed'] as const;
/** States of a check. `partial` means that some but not all of its runs succeeded. */
export const checkStates = ['created', 'running', 'succeeded', 'partial', 'failed'] as const;

type State = (typeof checkStates)[number];

/** Returns true if the run or the check changes no more. */
export const isFinished = (state: State): boolean => state !== 'created' && state !== 'running';
