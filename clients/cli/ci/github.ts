import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { explain } from '../exit-codes.ts';
import { jsonOf } from '../formats/json.ts';
import { annotationsOf } from './findings.ts';

const escapes: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A', ':': '%3A', ',': '%2C' };
const escaped = (text: string, characters: RegExp): string => text.replace(characters, (char) => escapes[char] ?? char);

/** Returns a command of a workflow on one line. No character of the title or the message ends it or begins another one. */
export const workflowCommand = (name: string, message: string, title?: string): string =>
  `::${name}${title === undefined ? '' : ` title=${escaped(title, /[%\r\n:,]/g)}`}::${escaped(message, /[%\r\n]/g)}`;

/** Returns a text in which no line is a command of a workflow: neither `::name::` at its start, nor `##[name]` within it. */
export const withoutCommands = (text: string): string =>
  text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');

/** Shortest text that is folded. */
const MIN_FOLDED_LINES = 4;

/** Returns a text with its first line and its next step visible, and the rest in a group that unfolds. */
const folded = (text: string): string => {
  const lines = withoutCommands(text).trimEnd().split('\n');
  if (lines.length < MIN_FOLDED_LINES) return `${lines.join('\n')}\n`;
  const [first = '', ...rest] = lines;
  const next = rest.findLastIndex((line) => line.startsWith('Next: '));
  const end = next === -1 ? rest.length : next;
  const group = [workflowCommand('group', 'Results'), ...rest.slice(0, end), workflowCommand('endgroup', '')];
  return `${[first, ...group, ...rest.slice(end)].join('\n')}\n`;
};

type Options = { format: string; allowEmpty?: boolean | undefined };

/**
 * Runs a command in the log of GitHub Actions. The text of results is in a group, and each fault is an annotation. No text of a
 * page is a command of the workflow: lines for people are rewritten, and the runner ignores commands during other formats.
 */
export const inGitHub = async (
  { print, note, ...context }: Context,
  { format, allowEmpty = false }: Options,
  work: (context: Context) => Promise<number>,
): Promise<number> => {
  const isText = format === 'text';
  const resume = randomUUID();
  const safeNote = (line: string) => note(withoutCommands(line));
  if (!isText) note(`::stop-commands::${resume}`);
  const annotations: string[] = [];
  const inLog: Context = {
    ...context,
    note: safeNote,
    print: (text) => print(isText ? folded(text) : text),
    report: async (results) => {
      for (const { level, title, message } of annotationsOf(JSON.parse(jsonOf(results)), { allowEmpty }))
        annotations.push(workflowCommand(level, message, title));
    },
  };
  const code = await work(inLog).catch((error) => {
    const explained = explain(error);
    annotations.push(workflowCommand('error', explained.text, 'page-audit'));
    return explained.code;
  });
  if (!isText) note(`::${resume}::`);
  for (const line of annotations) note(line);
  return code;
};
