import { FaultyLoginError } from './fault.ts';
import type { HeaderLine } from './headers.ts';

/** Returns the secret texts of some lines, such as `password=abc` or `password: abc`, by their names. */
export const secretTextsFrom = (
  lines: readonly HeaderLine[],
  readFile?: (name: string) => string,
): Record<string, string> => {
  const texts: Record<string, string> = {};
  for (const { text, place } of lines) {
    const [, name, given = ''] = /^\s*([^:=\s]+)\s*[:=](.*)$/s.exec(text) ?? [];
    if (name === undefined) throw new FaultyLoginError(`${place} has no name and text. Write it as name=text.`);
    if (Object.hasOwn(texts, name)) throw new FaultyLoginError(`${place} repeats a name. Give each name once.`);
    const value = given.trim();
    const isFile = readFile !== undefined && value.startsWith('@');
    texts[name] = isFile ? readFile(value.slice(1)).replace(/\r?\n$/, '') : value;
  }
  return texts;
};
