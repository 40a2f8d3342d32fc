import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../cli/exit-codes.ts';
import { Streams } from '../cli/streams.ts';
import { annotation, annotationsOf } from './annotations.ts';
import { writeComment } from './comment.ts';
import { outputsOf, type Results } from './results.ts';

const { env } = process;
const streams = new Streams();
const print = (line: string): Promise<void> => streams.print(`${line}\n`);
const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'page-audit-'));
const files = { json: join(folder, 'results.json'), markdown: join(folder, 'results.md') };

/** The action: runs the command line, then writes its results where GitHub shows them. Returns the exit code. */
const main = async (): Promise<number> => {
  if (env.PAGE_AUDIT_KEY) await print(`::add-mask::${env.PAGE_AUDIT_KEY}`);
  const code = await runCommand(commandLine());
  const results = readResults();
  writeOutputs(outputsOf(results ?? { checks: [] }, code === exitCodes.good && results !== undefined));
  if (!results) {
    await reportError(`The command ended with exit code ${code} and without results. The log above says why.`);
    return code || exitCodes.serviceFault;
  }
  for (const line of annotationsOf(results)) await print(line);
  const markdown = readFileSync(files.markdown, 'utf8');
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, markdown);
  if (env.INPUT_COMMENT !== 'false') await comment(markdown);
  return code;
};

const reportError = (message: string): Promise<void> =>
  print(annotation({ level: 'error', title: 'page-audit', message }));

/** Returns the results of the command line, or undefined if it could not write all of them. */
const readResults = (): Results | undefined => {
  try {
    return JSON.parse(readFileSync(files.json, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Returns the arguments of the command line. An empty input is no argument. */
const commandLine = (): string[] => {
  const urls = (env.INPUT_URLS ?? '').split(/\s+/).filter(Boolean);
  const options = {
    '--region': env.INPUT_REGIONS,
    '--device': env.INPUT_DEVICE,
    '--samples': env.INPUT_SAMPLES,
    '--simulate': env.INPUT_SIMULATE,
    '--assert': env.INPUT_ASSERTIONS,
    '--base': env.INPUT_BASE,
    '--against': env.INPUT_AGAINST,
  };
  const given = Object.entries(options).flatMap(([name, value]) => (value ? [`${name}=${value.trim()}`] : []));
  return ['run', ...given, '--output', files.json, '--output', files.markdown, '--', ...urls];
};

/**
 * Runs the command line, and passes a signal of the runner on to it. Its output goes to the log, where no text of a page
 * can be a workflow command.
 */
const runCommand = async (args: readonly string[]): Promise<number> => {
  const file = join(import.meta.dirname, '../cli/page-audit.cjs');
  const { GITHUB_TOKEN: _, ...rest } = env;
  const resume = randomUUID();
  await print(`::stop-commands::${resume}`);
  const child = spawn(process.execPath, [file, ...args], { env: rest, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'close')) as [number | null];
  await print(`::${resume}::`);
  return code ?? exitCodes.serviceFault;
};

/** Writes the outputs with a random delimiter, so that no value can end early and set another output. */
const writeOutputs = (outputs: Record<string, string>): void => {
  if (!env.GITHUB_OUTPUT) return;
  const delimiter = randomUUID();
  const lines = Object.entries(outputs).map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
};

/** Writes the comment if the job belongs to a pull request. A failure is a warning only. */
const comment = async (markdown: string): Promise<void> => {
  const { GITHUB_EVENT_PATH, GITHUB_REPOSITORY = '', GITHUB_API_URL = '', GITHUB_TOKEN: token = '' } = env;
  const event = GITHUB_EVENT_PATH ? JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')) : {};
  const pullRequest: unknown = event.pull_request?.number;
  if (typeof pullRequest !== 'number') return;
  const use = [env.GITHUB_WORKFLOW, env.GITHUB_JOB, env.GITHUB_ACTION].join(' ').replace(/[^\w ]+/g, '-');
  const marker = `<!-- page-audit: ${use} -->`;
  const target = { apiUrl: GITHUB_API_URL, repository: GITHUB_REPOSITORY, pullRequest, token, marker };
  await writeComment(target, markdown).catch((error: Error) =>
    print(annotation({ level: 'warning', title: 'No comment was written', message: error.message })),
  );
};

const fail = async (error: Error): Promise<number> => {
  await reportError(error.message).catch(() => streams.note(error.message));
  return exitCodes.serviceFault;
};

process.exitCode = await streams.end(await main().catch(fail));
