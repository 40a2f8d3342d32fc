import {
  interactionMetricTitle,
  interactionSamples,
  interactionValue,
  type MeasuredValues,
  partsOfInteractionMetric,
} from '../interactions/metric-ids.ts';
import { interactionMetrics } from '../interactions/metrics.ts';

/** Result of an interaction, as far as assertions read it. */
export type AssertedInteraction = MeasuredValues & {
  longestEvent: { type: string; selector: string | null } | null;
  reason: string | null;
};
type WithInteractions = { interactions?: readonly AssertedInteraction[] | null };

/** Returns the parts of a key that names the metric of an interaction. A dot may replace a colon, and a name may have dots. */
export const interactionOfKey = (key: string): ReturnType<typeof partsOfInteractionMetric> => {
  const [, name = '', metric] = /^interactions[.:](.+)[.:]([^.:]+)$/.exec(key) ?? [];
  return partsOfInteractionMetric(`interactions:${name.replaceAll(':', '.')}:${metric}`);
};

/** A metric in the form of an audit, with the values of all samples and what explains the value. */
export type InteractionAudit = {
  title: string;
  score: null;
  scoreDisplayMode: string;
  numericValue: number | null;
  numericUnit: string;
  errorMessage?: string | undefined;
  evidence?: string;
  samples: readonly (number | null)[];
};

/** Returns the metric that a key names in the form of an audit, or undefined if the run has no such interaction. */
export const interactionAudit = (key: string, run: WithInteractions): InteractionAudit | undefined => {
  const parts = interactionOfKey(key);
  const found = run.interactions?.find(({ name }) => name === parts?.interaction);
  if (!parts || !found) return undefined;
  const { metric } = parts;
  const { longestEvent: event, reason } = found;
  const numericValue = interactionValue(run, parts);
  const missing = reason ?? (metric === 'lcp' ? 'The interaction caused no route change.' : undefined);
  return {
    title: interactionMetricTitle(parts),
    score: null,
    scoreDisplayMode: 'interaction',
    numericValue,
    numericUnit: interactionMetrics[metric].kind === 'time' ? 'millisecond' : 'unitless',
    ...(numericValue === null && { errorMessage: missing }),
    ...(metric === 'inp' && event && { evidence: `Longest event: ${event.type}${onElement(event)}` }),
    samples: interactionSamples(run, parts),
  };
};

const onElement = ({ selector }: { selector: string | null }): string => (selector === null ? '' : ` on ${selector}`);
