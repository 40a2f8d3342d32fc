import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { inGitHub, withoutCommands, workflowCommand } from '../../clients/cli/ci/github.ts';
import { codeQualityOf, variablesOf } from '../../clients/cli/ci/gitlab.ts';
import { UsageError } from '../../clients/cli/exit-codes.ts';
import { jsonOf } from '../../clients/cli/formats/json.ts';
import { textOf } from '../../clients/cli/formats/text.ts';
import { checkWith, failed, resultOf } from '../support/check-results.ts';
import { commandContext } from '../support/command-context.ts';
import { cases } from './formats/cases.ts';

const all = Object.values(cases).flatMap((results) => results());
/** The lines that the runner takes for commands: `::name::` at the start of a line, and the older `##[name]` anywhere. */
const commandsIn = (log: string) =>
  log.split('\n').filter((line) => line.trimStart().startsWith('::') || line.includes('##['));

/** A schema as strict as what GitLab documents. Its parser needs these fields, and shows no other severity. */
const gitLab = new Ajv().compile({
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    additionalProperties: false,
    properties: {
      description: { type: 'string', minLength: 1 },
      check_name: { type: 'string', minLength: 1 },
      fingerprint: { type: 'string', minLength: 1 },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string', pattern: '^[^./]' },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
});

test('a report for GitLab fits its schema, and has a fingerprint for each fault that stays from commit to commit', () => {
  const results = JSON.parse(jsonOf(cases.assertions?.() ?? []));
  const report = codeQualityOf(results);
  expect(report.map(({ severity }) => severity)).toEqual(['major', 'minor', 'major', 'major']);
  expect(new Set(report.map(({ fingerprint }) => fingerprint)).size).toBe(report.length);
  const later = JSON.parse(JSON.stringify(results).replaceAll('2,612', '2,700'));
  expect(codeQualityOf(later).map(({ fingerprint }) => fingerprint)).toEqual(
    report.map(({ fingerprint }) => fingerprint),
  );
  const [first] = report;
  const of = (change: object) => {
    const [check] = results.checks;
    return codeQualityOf({ ...results, checks: [{ ...check, ...change }] })[0]?.fingerprint;
  };
  const { href, host } = new URL(results.checks[0].url);
  expect(of({ url: href.replace(host, 'preview-7.example') })).toBe(first?.fingerprint); // each preview has a host of its own
  expect(of({ device: 'desktop' })).not.toBe(first?.fingerprint);
  const [check] = results.checks;
  const hosts = ['a.example', 'b.example'].map((each) => ({ ...check, url: href.replace(host, each) }));
  const both = codeQualityOf({ ...results, checks: hosts }).map(({ fingerprint }) => fingerprint);
  expect(new Set(both).size).toBe(both.length);
  const whole = codeQualityOf(JSON.parse(jsonOf(all)));
  expect(whole.length).toBeGreaterThan(report.length);
  expect(gitLab(whole), JSON.stringify(gitLab.errors)).toBe(true);
  expect(codeQualityOf(JSON.parse(jsonOf(cases['one-region']?.() ?? [])))).toEqual([]);
});

test('variables for later jobs of GitLab are few, on a line each, and have no text of a page', () => {
  const lines = variablesOf(all).trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(20);
  for (const line of lines) expect(line).toMatch(/^PAGE_AUDIT_[A-Z_]+=[\w:/.-]+$/);
  expect(lines[0]).toBe('PAGE_AUDIT_PASSED=false');
  expect(variablesOf(cases['one-region']?.() ?? [])).toContain('PAGE_AUDIT_PASSED=true\n');
});

test.each(['::error::x', '  ::add-mask::x', 'a ##[group]x', 'a\n::set-output name=a::b', ':::error::'])(
  '%j in a text is no command of a workflow',
  (text) => {
    expect(commandsIn(withoutCommands(text))).toEqual([]);
    expect(workflowCommand('error', text, text).split('\n')).toHaveLength(1);
  },
);

const attack = 'a title\r\n::error::x%0A::warning::y ##[add-mask]z';
const hostile = () =>
  resultOf(checkWith({ 'us-west1': failed('internal', attack) }, { url: 'https://shop.example/?::error::' }));

test('in the log of GitHub, results are in a group, faults are annotations, and a page writes no command', async () => {
  const { context, shown } = commandContext(undefined);
  const result = hostile();
  const code = await inGitHub(context, { format: 'text' }, async (inLog) => {
    inLog.note(attack);
    await inLog.print(`${textOf([result], inLog.view)}${attack}\n`);
    await inLog.report?.([result]);
    return 4;
  });
  expect(code).toBe(4);
  expect(shown.stdout).toMatch(/^✘ The audit failed: internal\n::group::Results\n/);
  expect(commandsIn(shown.stdout)).toEqual(['::group::Results', '::endgroup::']);
  expect(commandsIn(shown.stderr)).toEqual([
    expect.stringMatching(/^::error title=us-west1%3A internal::https:\/\/shop/),
  ]);
});

test('in the log of GitHub, the runner ignores commands in other formats than text', async () => {
  const { context, shown } = commandContext(undefined);
  await inGitHub(context, { format: 'json' }, async (inLog) => {
    await inLog.print('{ "a": "##[error]" }\n');
    return 0;
  });
  expect(shown.stdout).toBe('{ "a": "##[error]" }\n');
  const [, token] = /^::stop-commands::([\w-]{36})\n/.exec(shown.stderr) ?? [];
  expect(shown.stderr).toBe(`::stop-commands::${token}\n::${token}::\n`);
});

test('in the log of GitHub, a wrong URL is named in an annotation', async () => {
  const { context, shown } = commandContext(undefined);
  const code = await inGitHub(context, { format: 'text' }, async () => {
    throw new UsageError('localhost:3000 is no URL of a web page. Use http://localhost:3000.');
  });
  expect([code, shown.stderr]).toEqual([
    2,
    '::error title=page-audit::localhost:3000 is no URL of a web page. Use http://localhost:3000.\n',
  ]);
});
