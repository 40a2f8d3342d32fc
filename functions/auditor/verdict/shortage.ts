import type { RunProblemCode } from '../../../shared/problems.ts';
import type { FrozenPart } from '../messages.ts';
import type { Fault } from './document-faults.ts';
import type { Observation } from './observation.ts';
import { BROWSER_FROZEN, PAGE_FROZEN } from './retry-rules.ts';

/** Returns the fault, or a fault of the service if the state of the machine may be its cause. */
export const faultOfHost = (fault: Fault, observation: Observation): Fault => {
  const { shortage, frozen, stoodStillMs } = observation;
  if (stoodStill(observation) && !NEEDS_NO_ROOM.includes(fault.code))
    return {
      code: 'internal',
      detail: `The service stood still for ${Math.round(stoodStillMs / 1000)} s during the audit, as after Ctrl-Z or a sleep of the machine. Nothing answered the page meanwhile.`,
    };
  return faultWhileShort(faultWhileFrozen(fault, frozen), shortage ?? lackingForDocument(fault, observation));
};

/** Time from which a service that stood still may be why a page was late, in milliseconds. A busy one is late by less. */
const STANDSTILL_MS = 5000;
export const stoodStill = ({ stoodStillMs }: Pick<Observation, 'stoodStillMs'>): boolean =>
  stoodStillMs >= STANDSTILL_MS;

/**
 * Work of the service above which it may have moved the times of a page whose proxy it held, in milliseconds. Other audits
 * cost the service up to 46 ms in one go, because it starts their processes. Work of 100 ms moved a first paint by 63 ms.
 */
const MAX_HELD_MS = 50;
export const wasHeld = ({ proxyHeldMs }: Pick<Observation, 'proxyHeldMs'>): boolean => proxyHeldMs > MAX_HELD_MS;

/** Returns the error of the machine because of which the document could not be requested, or undefined. */
const lackingForDocument = ({ code }: Fault, { mainFrame, decisionOn }: Observation): string | undefined => {
  if (code !== 'unreachable' && code !== 'dns-failure') return undefined;
  const { hostname, port, protocol } = new URL(mainFrame.url ?? 'http://unknown.invalid/');
  const reason = decisionOn(hostname, Number(port || (protocol === 'https:' ? 443 : 80)))?.reason;
  const error = [reason, mainFrame.failure].find((each) => each && ERRORS_OF_HOST.test(each));
  return error ? `a resource that a connection needs (${error})` : undefined;
};
const ERRORS_OF_HOST =
  /^(EMFILE|ENFILE|ENOMEM|ENOBUFS|ENOSPC|EADDRNOTAVAIL|ERR_(INSUFFICIENT_RESOURCES|OUT_OF_MEMORY|FILE_NO_SPACE|NO_BUFFER_SPACE))$/;

const faultWhileShort = (fault: Fault, shortage: string | undefined): Fault =>
  shortage && !NEEDS_NO_ROOM.includes(fault.code)
    ? { ...fault, code: 'internal', detail: `The machine was short of ${shortage} during the audit.` }
    : fault;

/** Codes that no shortage causes: the server's own status, the service's own rules, and the page's own size. */
const NEEDS_NO_ROOM: readonly RunProblemCode[] = ['http-error', 'forbidden-target', 'page-too-large'];

/** A page may have been late only because something had stopped its browser. */
const faultWhileFrozen = (fault: Fault, frozen: FrozenPart | null | undefined): Fault =>
  frozen && NEEDS_TIME.includes(fault.code)
    ? {
        code: 'protocol-timeout',
        auditCode: frozen === 'browser' ? BROWSER_FROZEN : PAGE_FROZEN,
        detail: FROZEN[frozen],
      }
    : fault;

const FROZEN: Record<FrozenPart, string> = {
  browser: 'The browser did not respond for some time, although it was idle. Something had stopped it.',
  page: 'The page did not respond for some time, although it was idle.',
};

/** Codes of an audit in which something took too long. */
const NEEDS_TIME: readonly RunProblemCode[] = [
  'page-hung',
  'load-timeout',
  'no-content',
  'no-screenshots',
  'protocol-timeout',
  'audit-timeout',
];
