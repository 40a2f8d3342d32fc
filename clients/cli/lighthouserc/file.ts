import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { UsageError } from '../exit-codes.ts';
import { readTextFile } from '../text-file.ts';

type Path = readonly PropertyKey[];

/** A configuration file of the user. */
export type ConfigFile = {
  name: string;
  content: unknown;
  /** Returns the name of the file, with the line and column of a part of its content. */
  placeOf: (path: Path) => string;
};

/** Reads a file of JSON or YAML, or runs a file of JavaScript. */
export const readConfigFile = async (name: string): Promise<ConfigFile> => {
  const text = readTextFile(name);
  const file = /\.[cm]?js$/i.test(name) ? await runScript(name, text) : parseText(name, text);
  if (file.content === null || file.content === undefined) throw new UsageError(`${name} is empty.`);
  return file;
};

/** Returns the schema of an object whose errors name the accepted keys. */
export const strictObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => {
  const keys = `The accepted keys are ${Object.keys(shape).join(', ')}.`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `Unknown key. ${keys}` : `Expected an object. ${keys}`),
  });
};

/** Faults that one message shows. */
const MAX_FAULTS = 20;

/** Throws an error with all faults of a file, if there are any. */
export const refuse = (faults: readonly string[]): void => {
  if (faults.length === 0) return;
  const more = faults.length > MAX_FAULTS ? [`More values of the file are wrong: ${faults.length - MAX_FAULTS}.`] : [];
  throw new UsageError([...faults.slice(0, MAX_FAULTS), ...more].join('\n'));
};

/** Returns the name of a part of a file with its place, for a message. */
export const placeText = (file: ConfigFile, path: Path): string =>
  `${file.placeOf(path)}: ${path.length > 0 ? `${path.join('.')}: ` : ''}`;

/** Returns a part of a file that fits a schema, or the place and the fault of each wrong value. */
export const checkPart = <T>(schema: z.ZodType<T>, file: ConfigFile, part: unknown, path: Path) => {
  const { data, error } = schema.safeParse(part);
  const faults = (error?.issues ?? []).flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return keys.map((key) => {
      const at = [...path, ...issue.path, ...(key === undefined ? [] : [key])];
      return `${placeText(file, at)}${issue.message}`;
    });
  });
  return { data, faults };
};

/** Returns a part of a file that fits a schema. Throws an error with the place of each wrong value. */
export const parsePart = <T>(schema: z.ZodType<T>, file: ConfigFile, part: unknown, path: Path): T => {
  const { data, faults } = checkPart(schema, file, part, path);
  refuse(faults);
  return data as T;
};

/** Returns the offset of the first comment of a JSON text. YAML's parser would read it as a part of a key. */
const commentIn = (text: string): number | undefined =>
  [...text.matchAll(/"(?:\\.|[^"\\])*"|(\/[/*])/g)].find(([, comment]) => comment)?.index;

/** Parses JSON and YAML. YAML includes JSON, and its parser reports the place of every error. */
const parseText = (name: string, text: string): ConfigFile => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const comment = /\.json$/i.test(name) ? commentIn(text) : undefined;
  if (comment !== undefined) {
    throw new UsageError(`${placeAt(comment)}: JSON has no comments. Remove it, or write the file as YAML.`);
  }
  const [error] = document.errors;
  if (error) {
    const format = /\.ya?ml$/i.test(name) ? 'YAML' : 'JSON';
    const reason = error.code === 'UNEXPECTED_TOKEN' ? 'A comma or a bracket may be missing before it' : error.message;
    throw new UsageError(`${placeAt(error.pos[0])}: The file is not valid ${format}. ${reason}.`);
  }
  const placeOf = (path: Path): string => {
    const node = document.getIn(path, true);
    if (isNode(node) && node.range) return placeAt(node.range[0]);
    return path.length > 0 ? placeOf(path.slice(0, -1)) : name;
  };
  try {
    return { name, content: document.toJS(), placeOf };
  } catch (cause) {
    throw new UsageError(`${name}: The file is not valid YAML. ${(cause as Error).message}.`); // an unknown alias
  }
};

const runScript = async (name: string, text: string): Promise<ConfigFile> => {
  if (text.trim() === '') return { name, content: null, placeOf: () => name };
  const path = resolve(name);
  try {
    const exported = await load(path);
    return { name, content: exported?.default ?? exported, placeOf: () => name };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const [reason] = error.message.split('\nRequire stack:');
    const isModule =
      /\.js$/i.test(name) && /^(Unexpected token 'export'|Cannot use import statement)/.test(reason ?? '');
    const advice = isModule ? '. Rename the file to .mjs, because this Node.js takes it for CommonJS.' : '';
    throw new UsageError(`${name}${placeInScript(path, error)}: ${error.name}: ${reason}${advice}`);
  }
};

/** Loads CommonJS and ES modules. `import` also waits for the top-level await of a module, but omits places of errors. */
const load = async (path: string) => {
  try {
    return createRequire(path)(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_REQUIRE_ESM' && code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
    return import(pathToFileURL(path).href);
  }
};

/** Returns `:line:column` of an error in a script. Node.js omits the place of a syntax error in an ES module. */
const placeInScript = (path: string, { name, stack = '' }: Error): string => {
  const checked = name === 'SyntaxError' && !stack.startsWith(`${path}:`);
  const text = checked ? spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' }).stderr : stack;
  const rest = text.split(path).find((each) => /^:\d/.test(each)) ?? '';
  const [, line, column] = /^:(\d+)(?::(\d+))?/.exec(rest) ?? [];
  if (!line) return '';
  const caret = /\n([ \t]*)\^/.exec(rest)?.[1];
  return `:${line}:${column ?? (caret?.length ?? 0) + 1}`;
};
