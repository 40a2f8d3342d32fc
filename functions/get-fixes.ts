import type { Fixes } from '../shared/fixes/fix.ts';
import { fixesOfInteractions } from '../shared/fixes/interactions.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { Caller } from '../shared/service/keys.ts';
import { conditionalReply } from './lib/http/conditional.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import type { RunLookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { findReport } from './lib/http/stored-report.ts';
import { redact } from './lib/redact.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import type { RunItem } from './lib/store/items.ts';
import { type Reports, reports } from './lib/store/reports.ts';
import { inThread } from './lib/thread/in-thread.ts';
import { fixesIn } from './lib/thread/report-tasks.ts';

/** GET …/runs/{runId}/fixes: returns what to fix first on the page, from the run's report. */
export const handler = http('get-fixes', (env) => getFixes({ store: checkStore(openDb(env)), reports: reports(env) }));

type Deps = RunLookup & {
  reports: Pick<Reports, 'get' | 'exists'>;
};

export const getFixes =
  (deps: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const { run, read } = await findReport(deps, request);
    if (run.state === 'failed') throw noFixes(run);
    // A pull request's comment or a share link may publish them.
    const contended = run.environment?.contended === true;
    const measured = request.query.variant === 'against' && run.against ? run.against : run;
    const ofLoad = await inThread({ fixesIn }, await read(), { contended });
    const ofInteractions = fixesOfInteractions(measured.interactions, { device: measured.device, contended });
    const fixes: Fixes = { fixes: redact(contended ? [...ofLoad, ...ofInteractions] : [...ofInteractions, ...ofLoad]) };
    const { headers, ...reply } = conditionalReply(request, fixes, { finished: true });
    return { ...reply, headers: { ...headers, 'cache-control': 'private, no-cache' } }; // as the report
  };

/** The report of a failed run has some audits, but nothing follows from the audits that it lacks. */
const noFixes = ({ error }: RunItem) =>
  new ApiProblemError(
    'report-unavailable',
    `The run failed with ${error?.code}, so nobody can say what to fix on its page.`,
  );
