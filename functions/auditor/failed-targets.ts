import type { Decision } from './messages.ts';

/** A target to which the egress proxy opened no connection. The browser only sees that its proxy failed. */
export type FailedTarget = Pick<Decision, 'host' | 'port' | 'outcome' | 'reason'>;
/** Returns the targets that the browser did not reach. Only a HAR needs them. */
export type FindFailed = () => Promise<readonly FailedTarget[]>;

/** Message with which the auditor asks for these targets. */
export type AskForFailed = { type: 'connections' };
/** The parent's answer. */
export type FailedTargets = { failed: FailedTarget[] };
