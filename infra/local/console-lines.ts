import type { SQSRecord } from 'aws-lambda';
import { redactForLog } from '../../functions/lib/redact.ts';
import type { CheckStore } from '../../functions/lib/store/checks.ts';
import { AuditJob } from '../../shared/service/audit-job.ts';
import { isFinished } from '../../shared/states.ts';
import { printable } from '../../shared/text.ts';

type Deps = {
  store: Pick<CheckStore, 'findRunOfAnyOwner'>;
  url: string;
  print: (line: string) => void;
};

/** Prints a line when a run starts and a line when it ends: region, URL, state, score, seconds, check and report. */
export const consoleLines = ({ store, url, print }: Deps) => {
  const urls = new Map<string, string>(); // by run, because an erased run no longer has its URL

  return async (record: Pick<SQSRecord, 'body'>, phase: 'started' | 'ended', seconds = 0): Promise<void> => {
    const job = jobIn(record.body);
    if (!job) return;
    const { checkId, runId, region, createId } = job;
    const read = await store.findRunOfAnyOwner({ checkId, id: runId, createId }).catch(() => 'unknown' as const);
    const run = read === 'unknown' ? undefined : read;
    if (run) urls.set(runId, new URL(run.url).href); // ASCII only
    const where = `${region.padEnd(20)} ${redactForLog(urls.get(runId) ?? `run ${runId}`)}`;
    if (phase === 'started') return print(run ? `▶ ${where}  Lighthouse ${run.auditVersion}` : `▶ ${where}`);

    urls.delete(runId);
    const took = `${seconds.toFixed(1)} s  check ${checkId}`;
    const ended = run?.report ? `${took}  report ${url}/v1/audit/runs/${runId}/report` : took;
    if (!read) print(`⌫ ${where}  erased  ${took}`);
    else if (!run || !isFinished(run.state)) print(`↩ ${where}  released  ${took}`);
    else if (run.state === 'succeeded') print(`✓ ${where}  succeeded  performance ${run.performance}  ${ended}`);
    else print(`✗ ${where}  failed  ${run.error?.code}: ${printable(run.error?.message ?? '')}  ${ended}`);
  };
};

/** Returns the job in a message. Another local program may have sent an invalid message, which the function logs. */
const jobIn = (body: string): AuditJob | undefined => {
  try {
    return AuditJob.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
};
