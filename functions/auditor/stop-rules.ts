import type { RunProblemCode } from '../../shared/problems.ts';
import { MEMORY_BYTES } from './host/machine.ts';
import type { MainFrame } from './messages.ts';

/** An attempt that is not over by then is killed, whatever it is doing. */
export const HARD_LIMIT_MS = 120_000;
/** A main document that got no answer by then, or none that the browser could show, will get none that counts. */
export const NO_ANSWER_MS = 36_000;
/** Memory of an audit's browser, and of the auditor itself, whose trace a page can make long. 200,000 nodes take 3.6 GiB. */
export const MAX_BROWSER_BYTES = Math.min(4 * 2 ** 30, 0.62 * MEMORY_BYTES);
export const MAX_AUDITOR_BYTES = Math.min(1.5 * 2 ** 30, MAX_BROWSER_BYTES / 2);
/** Lighthouse waits 36 s for a document that comes slowly, and for ever where it neither ends nor shows anything. */
export const SLOW_DOCUMENT_MS = 60_000;
/** A failed main document may yet be followed by another: a page that sends itself elsewhere. */
export const FAILURE_GRACE_MS = 500;

export const SCRIPTLESS =
  "The page's Content-Security-Policy (sandbox) lets no script run, and an audit asks by scripts.";
export const TOO_MUCH: Record<NonNullable<MainFrame['tooMuch']>, [RunProblemCode, string]> = {
  bytes: ['page-too-large', 'The document is larger than the service loads.'],
  frames: ['page-too-large', 'The page opens more frames than the service loads.'],
  'nested frames': ['page-too-large', 'The page nests its frames deeper than the service loads them.'],
  dialogs: ['page-hung', 'The page opens one dialog after another.'],
};
