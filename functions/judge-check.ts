import { JudgeBody, type JudgedCheck } from '../shared/assertions/judged-check.ts';
import { assertionsPassed } from '../shared/check.ts';
import { pick } from '../shared/pick.ts';
import { assertionErrors } from './lib/http/check-body.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput, parseFields } from './lib/http/input.ts';
import { findCheck, finishedCheck, type RunLookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { reportOf } from './lib/http/stored-report.ts';
import { assertReport } from './lib/runs/assert-report.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type Reports, reports } from './lib/store/reports.ts';
import { inThread } from './lib/thread/in-thread.ts';

/** POST /v1/checks/{checkId}/assertions: judges the stored reports of a finished check by other assertions, and stores nothing. */
export const handler = http('judge-check', (env) =>
  judgeCheck({ store: checkStore(openDb(env)), reports: reports(env) }),
);

type Deps = RunLookup & { reports: Pick<Reports, 'get' | 'exists'> };

export const judgeCheck =
  (deps: Deps) =>
  async (request: Request): Promise<Reply> => {
    const { fields, errors } = parseFields(JudgeBody, { assertions: undefined }, request.body);
    const { assertions } = fields;
    if (!assertions) throw invalidInput(errors);
    const check = await findCheck(deps, request);
    const wrong = [...errors, ...assertionErrors(assertions, check.item)];
    if (wrong.length > 0) throw invalidInput(wrong);
    const { id, runs } = finishedCheck(check);
    const judged: JudgedCheck['runs'] = [];
    for (const run of runs) {
      // One report after another, because several large ones might not fit in memory.
      const read = run.state === 'succeeded' && reportOf(deps, request, run).readParsable;
      const measured = pick(run, ['environment', 'samples', 'interactions']);
      const { results, notes } = read ? await inThread({ assertReport }, await read(), assertions, measured) : unjudged;
      judged.push({ ...pick(run, ['id', 'region', 'state']), assertions: results, warnings: notes });
    }
    const body: JudgedCheck = { id, assertionsPassed: assertionsPassed({ assertions, runs: judged }), runs: judged };
    return { status: 200, body };
  };

/** Results of a failed run, whose report has only some audits. */
const unjudged = { results: null, notes: [] };
