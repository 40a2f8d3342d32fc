import type { RunProblemCode } from '../../shared/problems.ts';
import type { Fault } from './document-faults.ts';

/** Returns the fault, or a fault of the service if a page may have hung, crashed or stayed blank because of a shortage. */
export const faultWhileShort = (fault: Fault, shortage: string | undefined): Fault =>
  shortage && NEEDS_ROOM.includes(fault.code)
    ? { ...fault, code: 'internal', detail: `The machine was short of ${shortage} during the audit.` }
    : fault;

const NEEDS_ROOM: readonly RunProblemCode[] = [
  'page-hung',
  'page-crashed',
  'load-timeout',
  'no-content',
  'browser-crashed',
  'protocol-timeout',
  'audit-timeout',
  'no-screenshots',
  'internal',
];
