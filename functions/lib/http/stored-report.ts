import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { ArtifactName } from '../../../shared/options/artifacts.ts';
import { type Variant, variants } from '../../../shared/options/variants.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../shared/service/keys.ts';
import { isFinished } from '../../../shared/states.ts';
import { idsOf, log } from '../log.ts';
import type { RunItem } from '../store/items.ts';
import { artifactKey, type Reports } from '../store/reports.ts';
import type { Request } from './endpoint.ts';
import { invalidInput } from './input.ts';
import { findRun, type RunLookup } from './lookup.ts';

type Deps = RunLookup & {
  reports: Pick<Reports, 'get' | 'exists'>;
};

/** Returns the report of the run in the path, or another file of its audit. */
export const findReport = async (deps: Deps, request: Request<Caller>, artifact?: ArtifactName) =>
  reportOf(deps, request, await findRun(deps, request), artifact);

/**
 * Returns a run, and the location and sizes of the report of the variant in the query. Throws if the run is not finished, or
 * failed without a report. `read` returns the gzipped report, and throws as `throwIfGone` does if storage has deleted it.
 * `readParsable` also throws if the report is too large to be parsed.
 */
export const reportOf = (
  { reports, ...lookup }: Deps,
  request: Request<Caller>,
  run: RunItem,
  artifact?: ArtifactName,
) => {
  const variant = variantOf(request.query);
  const ofRun = storedReport(run, variant, request.query.interaction);
  const report = artifact ? storedArtifact(run, ofRun, artifact) : ofRun;
  const throwIfGone = async () => {
    if (await reports.exists(report.key)) return;
    const params = { checkId: run.checkId, runId: run.id };
    await findRun(lookup, { ...request, params, query: {} }); // throws not-found if the check was erased meanwhile
    log.warn('The stored report is gone.', { requestId: request.requestId, ...idsOf(run), key: report.key });
    throw new ApiProblemError(
      'report-unavailable',
      `The ${artifact ?? 'report'} has expired. To audit the page again, create a new check.`,
    );
  };
  const read = () =>
    reports.get(report.key).catch(async (error) => {
      if (mayBeGone(error)) await throwIfGone();
      throw error;
    });
  const readParsable = () => {
    requireParsable(run, report);
    return read();
  };
  return { run, report, read, readParsable, throwIfGone };
};

/** Largest report that a function parses whole, in MiB of JSON. It has 1,024 MB, and parsed JSON takes several times its size. */
const MAX_REPORT_MIB = 64;

const requireParsable = ({ id }: RunItem, { bytes }: NonNullable<RunItem['report']>): void => {
  const mib = Math.ceil(bytes / 1024 / 1024);
  if (mib <= MAX_REPORT_MIB) return;
  const detail = `The report of the run ${id} has ${mib} MiB. The service compares reports of up to ${MAX_REPORT_MIB} MiB. Read the report itself.`;
  throw new ApiProblemError('not-comparable', detail);
};

export const gunzip = promisify<Buffer, Buffer>(zlib.gunzip);

const variantOf = ({ variant = 'own' }: Request['query']): Variant => {
  const known = variants.find((name) => name === variant);
  if (!known) throw invalidInput([{ path: 'variant', message: `The variant must be one of: ${variants.join(', ')}.` }]);
  return known;
};

const storedReport = (run: RunItem, variant: Variant, interaction?: string): NonNullable<RunItem['report']> => {
  const { state, error, against } = run;
  if (variant === 'against' && !against) throw new ApiProblemError('not-found', withoutAgainst);
  const of = variant === 'against' && against ? against : run;
  const report = interaction === undefined ? of.report : interactionReport(of, interaction);

  if (!isFinished(state)) {
    const detail = `The run is in the state ${state}. Its report is available when the run has finished.`;
    throw new ApiProblemError('report-not-ready', detail, {
      headers: { 'retry-after': state === 'running' ? '5' : '10' },
    });
  }
  if (!report) {
    const cause = error ? `The run failed with ${error.code} and` : 'The run';
    throw new ApiProblemError('report-unavailable', `${cause} has no report${against ? ' of this variant' : ''}.`);
  }
  return report;
};

/** Returns the report of an interaction. A run without results has no interactions. */
const interactionReport = ({ interactions }: Pick<RunItem, 'interactions'>, name: string): RunItem['report'] => {
  const found = interactions?.find((each) => each.name === name);
  if (found || !interactions) return found?.report;
  const names = interactions.map((each) => each.name).join(', ');
  throw invalidInput([
    { path: 'interaction', message: `The run has no such interaction. Its interactions: ${names}.` },
  ]);
};

/** Returns the place and the sizes of another file of the audit. */
const storedArtifact = (
  run: RunItem,
  { key, artifacts = {} }: NonNullable<RunItem['report']>,
  name: ArtifactName,
): NonNullable<RunItem['report']> => {
  const sizes = artifacts[name];
  if (sizes) return { ...sizes, key: artifactKey(run, key, name) };
  const detail = `The run has no ${name}. Create a check with \`"artifacts": ["${name}"]\`.`;
  throw new ApiProblemError('report-unavailable', detail);
};

const withoutAgainst = 'The check has one variant only. Leave out variant, or create a check with against.';

/** S3 answers 404 for a missing object, or 403 to a caller that may not list the bucket. */
const mayBeGone = (error: { $metadata?: { httpStatusCode?: number } }): boolean =>
  [403, 404].includes(error.$metadata?.httpStatusCode ?? 0);
