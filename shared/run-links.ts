import { z } from 'zod';
import { artifactNames } from './options/artifacts.ts';
import type { Variant } from './options/variants.ts';
import { recordOf } from './record.ts';

/** Routes that read the report of a run. */
export const reportLinks = {
  report: z.string().nullable(),
  fixes: z.string().nullable(),
  screenshot: z.string().nullable(),
  filmstrip: z.string().nullable(),
  ...recordOf(artifactNames, () => z.string().nullable()),
};

type Linked = {
  id: string;
  checkId: string;
  state: string;
  report?: { artifacts?: Readonly<Record<string, object>> | undefined } | undefined;
};

/** Returns the relative URLs of a run. */
export const linksOf = (run: Linked) => {
  const check = `/v1/checks/${run.checkId}`;
  return {
    self: `${check}/runs/${run.id}`,
    check,
    page: `/checks/${run.checkId}/runs/${run.id}`,
    ...reportLinksOf(run),
  };
};

/** Returns the relative URL of the timespan report of an interaction, or null without one. */
export const interactionLink = (
  { id, checkId }: Pick<Linked, 'id' | 'checkId'>,
  { name, report }: { name: string; report?: object | undefined },
  variant: Variant,
): string | null =>
  report
    ? `/v1/checks/${checkId}/runs/${id}/report?interaction=${name}${variant === 'own' ? '' : `&variant=${variant}`}`
    : null;

/** Returns the relative URLs of a report. They are null without one. */
export const reportLinksOf = ({ id, checkId, state, report }: Linked, query = '') => {
  const ofReport = (name: string) => (report ? `/v1/checks/${checkId}/runs/${id}/${name}${query}` : null);
  return {
    report: ofReport('report'),
    fixes: state === 'succeeded' ? ofReport('fixes') : null,
    screenshot: ofReport('screenshot'),
    filmstrip: ofReport('filmstrip'),
    ...recordOf(artifactNames, (name) => (report?.artifacts?.[name] ? ofReport(name) : null)),
  };
};
