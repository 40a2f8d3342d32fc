import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { build } from '../../infra/bundle/main.ts';
import { functionRows } from '../../shared/service/functions.ts';
import { noSandboxHere, sqsEvent, startRunAudit } from '../support/lambda-sandbox.ts';
import { servePages } from '../support/pages.ts';
import { serveOnHttp } from '../support/services-on-http.ts';
import { aCheck, startWorld } from '../support/world.ts';
import { currentCommit } from './results-page.ts';

/*
 * `npm run update-cost -- --rounds 5`: measures the built `run-audit` in the sandbox like Lambda's, and writes the seconds of
 * an audit to infra/operator/measured-audit.json, from which `npm run cost` reads them. Each round starts an instance and
 * audits a small page three times. Run it on a machine that does nothing else. On a busy machine it writes only with `--busy`.
 */
const TARGET = fileURLToPath(new URL('../../infra/operator/measured-audit.json', import.meta.url));
const ASSET = fileURLToPath(new URL('../../dist/functions/run-audit', import.meta.url));
const WARM_AUDITS = 2;

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, busy: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds: Use a whole number above 0.');
const missing = noSandboxHere();
if (missing) throw new Error(`This machine can't measure: ${missing}.`);

await build();
await using stack = new AsyncDisposableStack();
const pages = stack.adopt(await servePages(), (each) => each.close());
const world = stack.adopt(await startWorld(), (each) => each.stop());
const http = stack.adopt(await serveOnHttp(world.aws), (each) => each.close());
const env = {
  ...http.env,
  TARGETS: 'local',
  UV_THREADPOOL_SIZE: `${functionRows['run-audit'].threads}`,
  POWERTOOLS_SERVICE_NAME: 'page-audit-test',
};

const [init, first, warm, logKb]: [number[], number[], number[], number[]] = [[], [], [], []];

type Deployed = Awaited<ReturnType<typeof startRunAudit>>;

/** Audits a page. Returns the seconds of the invocation. */
const invoked = async (deployed: Deployed): Promise<number> => {
  const [run] = (await world.create(aCheck({ url: pages.url('/perfect'), regions: ['us-west1'] }))) as [RunItem];
  const [start, logged] = [performance.now(), deployed.logs().length];
  await deployed.invoke(sqsEvent(jobOf(run)));
  const seconds = (performance.now() - start) / 1000;
  logKb.push((deployed.logs().length - logged) / 1000);
  const { state, error } = await world.runOf(run.checkId);
  if (state !== 'succeeded')
    throw new Error(`An audit ended as ${state}, ${error?.code}. ${deployed.logs().slice(-2000)}`);
  return seconds;
};

const loads = [loadavg()[0] as number];
for (let round = 1; round <= rounds; round++) {
  await using deployed = await startRunAudit(ASSET, env);
  init.push(deployed.initMs / 1000);
  first.push(await invoked(deployed));
  for (let audit = 0; audit < WARM_AUDITS; audit++) warm.push(await invoked(deployed));
  loads.push(loadavg()[0] as number);
  console.error(
    `round ${round}: import ${init.at(-1)?.toFixed(1)} s, first audit ${first.at(-1)?.toFixed(1)} s, then ${warm
      .slice(-WARM_AUDITS)
      .map((each) => each.toFixed(1))
      .join(' and ')} s`,
  );
}
/** Returns the seconds of the quickest, because other programs of the machine only add time. */
const seconds = (all: readonly number[]) => Math.round(10 * Math.min(...all)) / 10;
/** Formats a list of numbers as Biome does. */
const asOneLine = (list: string): string => JSON.stringify(JSON.parse(list)).replaceAll(',', ', ');
const isBusy = loads.some((load) => load > cpus().length / 2);
const measured = {
  measuredOn: new Date().toISOString().slice(0, 10),
  commit: currentCommit(),
  cpu: cpus()[0]?.model,
  load: loads.map((each) => Math.round(10 * each) / 10), // before the first round, and after each
  rounds,
  initSeconds: seconds(init),
  firstSeconds: seconds(first),
  warmSeconds: seconds(warm),
  logKb: Math.round(10 * Math.max(...logKb)) / 10, // of an audit, without Lambda's own lines
};
const text = JSON.stringify(measured, undefined, 2).replace(/\[[^\]]*\]/, asOneLine);
console.log(text);
if (isBusy && !values.busy) {
  console.error('Other programs used this machine, so the seconds are too long. Nothing was written.');
  console.error('Measure again without them, or write these seconds with --busy.');
  process.exitCode = 1;
} else {
  writeFileSync(TARGET, `${text}\n`);
  console.error('Written. `npm run cost -- --write` writes the tables that follow from it.');
}
