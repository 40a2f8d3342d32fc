import type { Guard } from '../../shared/service/guards.ts';
import type { Browser } from '../../shared/service/offer.ts';

/** A part of this process without which it can't audit. */
type Part = 'auditors' | 'table';
type Reason = string | undefined;

const obstacles = new Map<Part, () => Reason>();

/**
 * Records why a part of this process can't work, or undefined when it can. A function finds the reason whenever someone
 * asks. An API function on Lambda shares its process with no auditor and no table, so nothing records an obstacle there.
 */
export const setObstacle = (part: Part, reason: Reason | (() => Reason)): void => {
  obstacles.set(part, typeof reason === 'function' ? reason : () => reason);
};

export const obstacleOf = (part: Part): Reason => obstacles.get(part)?.();

export const currentObstacle = (): Reason => obstacleOf('table') ?? obstacleOf('auditors');

/** Browser of this process's auditors, and the guards that its machine lacks. */
export type AuditHost = { chromium: Omit<Browser, 'ageDays'>; unguarded: readonly Guard[] };

let host: (() => AuditHost) | undefined;
export const setAuditHost = (find: () => AuditHost): void => {
  host = find;
};

/** Returns undefined until the auditors of this process are prepared. On Lambda an API function has none. */
export const auditHost = (): AuditHost | undefined => host?.();
