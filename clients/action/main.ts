import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { error, setOutput, setSecret, summary, warning } from '@actions/core';
import { context, getOctokit } from '@actions/github';
import { annotationsOf } from '../cli/ci/findings.ts';
import { exitCodes, explain, UsageError } from '../cli/exit-codes.ts';
import type { Results } from '../cli/formats/json.ts';
import { Streams } from '../cli/streams.ts';
import { baseNotes } from './base-notes.ts';
import { writeComment } from './comment.ts';
import { githubProblem, withOneRetry } from './github-calls.ts';
import { argumentsOf, baseInputOf, type Inputs, linesOf, markerOf, readInputs } from './inputs.ts';
import { outputsOf, writtenFiles } from './results.ts';
import { type GitHub, labelsOf, type Source, sourceOf } from './source.ts';

const { env } = process;
const GITHUB_TIMEOUT_MS = 15_000;
/** Most characters of the reason in an annotation. */
const MAX_REASON_LENGTH = 1000;
const streams = new Streams();
const print = (line: string): Promise<void> => streams.print(`${line}\n`);
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'page-audit-'));
const files = { json: join(folder, 'results.json'), markdown: join(folder, 'results.md') };

/** The action: runs the command line, then writes its results where GitHub shows them. Returns the exit code. */
const main = async (): Promise<number> => {
  const inputs = readInputs(env.INPUTS ?? '{}');
  if (inputs['api-key']) setSecret(inputs['api-key']);
  const baseInput = baseInputOf(inputs);
  if (baseInput && !inputs['server-url']) throw new UsageError(noServiceText(baseInput));
  const github = env.GITHUB_TOKEN ? githubWith(env.GITHUB_TOKEN) : undefined;
  const source = github ? await findSource(github) : {};
  const labels = env.GITHUB_REPOSITORY ? labelsOf(source, context.repo) : {};
  const { code, reason } = await runCommand(inputs, argumentsOf(inputs, labels));
  const results = readResults();
  const found = results ?? { checks: [] };
  for (const [name, value] of Object.entries(outputsOf(found, code === exitCodes.good && results !== undefined)))
    setOutput(name, value);
  setOutput('files', writtenFiles(found, linesOf(inputs.output)).join('\n'));
  if (!results) {
    report(reason || `The command ended with exit code ${code} and without results.`);
    return code || exitCodes.serviceFault;
  }
  for (const { level, title, message } of annotationsOf(results, { allowEmpty: inputs['allow-empty'] === 'true' }))
    ({ error, warning })[level](message, { title });
  const markdown = readFileSync(files.markdown, 'utf8') + baseNotes(results, inputs.base);
  if (env.GITHUB_STEP_SUMMARY) await summary.addRaw(markdown).write();
  if (github && inputs.comment !== 'false') await comment(github, source, inputs, markdown);
  return code;
};

const noServiceText = (input: string): string =>
  `${input} needs a server-url: the runner forgets its checks at the end of the job. Set server-url, or compare with against.`;

const report = (message: string): void => error(message, { title: 'page-audit' });

const githubWith = (token: string): GitHub => {
  const github = getOctokit(token);
  github.hook.before('request', ({ request }) => {
    request.signal = AbortSignal.timeout(GITHUB_TIMEOUT_MS);
  });
  return github;
};

/** Returns what the workflow audits. If GitHub does not answer, the audits still run. */
const findSource = (github: GitHub): Promise<Source> =>
  withOneRetry(() => sourceOf(context, github)).catch((reason) => {
    warning(`The pull request and the branch are not found. ${githubProblem(reason)}`, { title: 'page-audit' });
    return {};
  });

/** Returns the results of the command line, or undefined if it could not write all of them. */
const readResults = (): Results | undefined => {
  try {
    return JSON.parse(readFileSync(files.json, 'utf8'));
  } catch {
    return undefined;
  }
};

/**
 * Runs the command line, and passes a signal of the runner on to it. Returns its exit code and its last messages, which say
 * why it has no results. Its output goes to the log, where no text of a page
 * can be a workflow command.
 */
const runCommand = async (inputs: Inputs, args: readonly string[]): Promise<{ code: number; reason: string }> => {
  const file = join(import.meta.dirname, '../cli/page-audit.cjs');
  const service = { PAGE_AUDIT_URL: inputs['server-url'], PAGE_AUDIT_KEY: inputs['api-key'] };
  const outputs = Object.values(files).flatMap((each) => ['--output', each]);
  const resume = randomUUID();
  await print(`::stop-commands::${resume}`);
  const child = spawn(process.execPath, [file, 'run', '--ci=none', ...outputs, ...args], {
    env: { ...ofUser(env), ...service },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let last = '';
  child.stderr.on('data', (part: Buffer) => {
    process.stderr.write(part);
    last = `${last}${part}`.slice(-MAX_REASON_LENGTH);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'close')) as [number | null];
  await print(`::${resume}::`);
  return { code: code ?? exitCodes.serviceFault, reason: last.trim() };
};

/** Variables of the action, and those by which a step steers its job or proves its identity. */
const OF_STEP = /^(INPUTS|ACTION_PATH|GITHUB_(TOKEN|ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)|ACTIONS_.*)$/;

/** Returns the variables for the command line, which may start a server or a script of a pull request. */
const ofUser = (all: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !OF_STEP.test(name)));

/** Writes the comment if the event is about a pull request. A failure is a warning only. */
const comment = async (github: GitHub, { pullRequest }: Source, inputs: Inputs, markdown: string): Promise<void> => {
  if (pullRequest === undefined) return;
  const marker = markerOf(inputs, context, context.payload.deployment_status?.environment_url);
  await withOneRetry(() => writeComment(github, { ...context.repo, pullRequest, marker }, markdown)).catch((reason) =>
    warning(githubProblem(reason), { title: 'No comment was written' }),
  );
};

const fail = (reason: unknown): number => {
  const { text, code } = explain(reason);
  report(text);
  streams.note(text);
  return code;
};

process.exitCode = await streams.end(await main().catch(fail));
