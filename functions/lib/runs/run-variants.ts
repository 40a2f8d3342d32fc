import { type AuditVersion, isNewer, shareLoads } from '../../../shared/audit-versions.ts';
import { type Measured, measuredNames, unmeasured } from '../../../shared/measured.ts';
import type { Metrics } from '../../../shared/metrics/page-metrics-schemas.ts';
import { namesOf } from '../../../shared/options/audit-options.ts';
import type { AuditOptions } from '../../../shared/options/audit-options-schemas.ts';
import type { Variant } from '../../../shared/options/variants.ts';
import { pick } from '../../../shared/pick.ts';
import type { RunItem } from '../store/items.ts';

type Inputs = { url: string; auditVersion: AuditVersion; options: AuditOptions };

/** Returns the inputs of a variant. The second variant has those of the run for everything that `against` leaves out, but shows no simulations. */
export const inputsOf = ({ url, auditVersion, options }: RunItem, variant: Variant): Inputs => {
  const inputs = {
    url,
    auditVersion,
    ...options,
    ...(variant === 'against' && { ...options.against, simulations: undefined }),
  };
  return { ...pick(inputs, ['url', 'auditVersion']), options: pick(inputs, namesOf('audit')) };
};

/** Returns the variant whose loads both variants share, or undefined if they load in turns. */
export const loaderOf = ({ auditVersion, options: { against = {}, interactions } }: RunItem): Variant | undefined => {
  if (interactions) return undefined; // each variant measures its own
  const { auditVersion: other, ...others } = against;
  if (!other || Object.keys(others).length > 0 || !shareLoads(auditVersion, other)) return undefined;
  return isNewer(auditVersion, other) ? 'own' : 'against';
};

/** Returns the version that judges a load of the variant besides its own, or undefined. */
export const alsoBy = (run: RunItem, variant: Variant): AuditVersion | undefined =>
  loaderOf(run) === variant ? inputsOf(run, variant === 'own' ? 'against' : 'own').auditVersion : undefined;

/** Returns the second variant of a finished run. A failed audit has no samples. */
export const againstOf = (
  { against }: RunItem,
  { metrics, ...result }: Partial<Measured> & { metrics?: Metrics },
  report: RunItem['report'],
): RunItem['against'] => against && { ...against, ...unmeasured, ...metrics, ...pick(result, measuredNames), report };
