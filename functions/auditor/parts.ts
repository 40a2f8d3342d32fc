import type { Given } from '../../shared/measured.ts';
import type { SteadyLoad } from '../../shared/metrics/steady-load.ts';
import type { SimulatedLoad } from '../../shared/options/simulated-loads.ts';
import { redact } from '../lib/redact.ts';
import type { MeasuredInteraction } from './interactions/messages.ts';
import { redactInteraction, scrubInteraction } from './interactions/texts.ts';
import type { Scrub } from './scrub.ts';

/** Optional parts of a sample. */
type Parts = { [Name in keyof Given]: NonNullable<Given[Name]> } & {
  simulations: SimulatedLoad[];
  steady: SteadyLoad;
  interactions: MeasuredInteraction[];
};
/** The parts that an audit gave. The others are missing, because the order has none or the audit could not measure them. */
export type SampleParts = Partial<Parts>;

/** Redacts the texts of a page in each part. A part without such texts stays as it is. */
const redactors: { [Name in keyof Parts]: (part: Parts[Name]) => Parts[Name] } = {
  uncorrected: (numbers) => numbers,
  simulations: (loads) => loads,
  steady: redact,
  interactions: (results) => results.map(redactInteraction),
};
const partNames = Object.keys(redactors) as (keyof Parts)[];

/** Returns the parts of a sample with redacted texts. */
export const redactedParts = (sample: SampleParts): SampleParts => {
  const given = partNames.filter((name) => sample[name]);
  return Object.fromEntries(given.map((name) => [name, redactors[name](sample[name] as never)]));
};

/** Replaces the secrets of a check in the parts that have names of the check. The names stay. */
export const scrubbedParts = ({ interactions }: SampleParts, scrub: Scrub): SampleParts =>
  interactions ? { interactions: interactions.map((each) => scrubInteraction(each, scrub)) } : {};
