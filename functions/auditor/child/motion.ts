import type { MainFrame } from '../messages.ts';

/** Time limit for a page that keeps navigating before it is measured. */
export const SETTLE_MS = 15_000;
/** A refresh within this time counts as a redirect, so the audit waits for it. */
const SOON_MS = 2000;
/** Time that a document which the page moved to must be quiet after its load and its first paint. */
const QUIET_MS = 1500;
/** Time limit after load for the first paint of such a document. */
const PAINT_MS = 5000;

/** State of a page's navigations by itself. Times are in milliseconds of one clock. */
export type Motion = {
  /** True if the browser requests another main document. */
  isRequested: boolean;
  /** Latest time at which the shown document committed, loaded or painted. */
  changedAt: number;
  /** Time of the refresh that the page announced. */
  refreshAt: number | undefined;
};

/** Returns true if the page is about to move to another document, or has just moved. */
export const isMoving = ({ navigations, loaded, painted }: MainFrame, motion: Motion, now: number): boolean => {
  const { isRequested, changedAt, refreshAt } = motion;
  if (navigations === 0) return false;
  if (isRequested) return true;
  if (refreshAt !== undefined && Math.abs(refreshAt - now) <= SOON_MS) return true;
  if (navigations === 1) return false;
  return !loaded || now - changedAt < (painted ? QUIET_MS : PAINT_MS);
};
