import type { RunProblemCode } from '../../shared/problems.ts';
import type { Fault } from './document-faults.ts';

/** Returns the fault, or a fault of the service if a shortage of the machine may be its cause. */
export const faultWhileShort = (fault: Fault, shortage: string | undefined): Fault =>
  shortage && !NEEDS_NO_ROOM.includes(fault.code)
    ? { ...fault, code: 'internal', detail: `The machine was short of ${shortage} during the audit.` }
    : fault;

/** Codes that no shortage causes: the server's own status, the service's own rules, and the page's own size. */
const NEEDS_NO_ROOM: readonly RunProblemCode[] = ['http-error', 'forbidden-target', 'page-too-large'];
