import { redact, redactText, redactUrl } from '../../lib/redact.ts';
import { type Scrub, scrubData } from '../scrub.ts';
import type { MeasuredInteraction } from './messages.ts';

/** Redacts the texts of a page in the result of an interaction. */
export const redactInteraction = (result: MeasuredInteraction): MeasuredInteraction => {
  const { longestEvent, navigatedTo, softNavigation, reason } = result;
  return {
    ...result,
    longestEvent: longestEvent && redact(longestEvent),
    navigatedTo: navigatedTo && redactUrl(navigatedTo),
    softNavigation: softNavigation && { ...softNavigation, url: redactUrl(softNavigation.url) },
    reason: reason && redactText(reason),
  };
};

/** Replaces the secrets of a check in the result of an interaction, except in its name. */
export const scrubInteraction = ({ name, ...result }: MeasuredInteraction, scrub: Scrub): MeasuredInteraction => ({
  name,
  ...scrubData(result, scrub),
});
