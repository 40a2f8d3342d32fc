import sax from 'sax';
import { peek } from './peek.ts';

/** Kinds of sitemaps by their root element: the element of an entry, and whether its address is a page. */
const kinds: Readonly<Record<string, { entry: string; isPage: boolean }>> = {
  urlset: { entry: 'url', isPage: true },
  sitemapindex: { entry: 'sitemap', isPage: false },
};

/** A real sitemap has four levels and a few attributes. More would only fill the memory. */
const MAX_DEPTH = 16;
const MAX_ATTRIBUTES = 64;
/** A longer address is cut, and then is too long for the service. */
const MAX_LOCATION_LENGTH = 4096;

/** Longest line of a list of addresses, and of the lines in front of the first address. */
const MAX_LINE_LENGTH = 64 * 1024;

/** An address as a sitemap, an index of sitemaps or a robots.txt names it. */
export type Location = { text: string; isPage: boolean };

/** A text that is no sitemap. Its message ends a sentence that starts with the address. */
export class FaultyTextError extends Error {}

/**
 * Yields the addresses of a sitemap, a list of addresses or a robots.txt while its text arrives. Throws a FaultyTextError if it
 * is none.
 */
export async function* locationsIn(text: AsyncIterable<string>): AsyncGenerator<Location> {
  const { start = '', all } = await peek(
    text,
    (before = '', part) => before + part,
    (before) => /^\s*</.test(before) || firstLine(before) !== undefined || before.length > MAX_LINE_LENGTH,
  );
  const line = firstLine(`${start}\n`) ?? '';
  if (/^https?:\/\//i.test(line)) yield* listedIn(all);
  else if (DIRECTIVE.test(line)) yield* namedByRobots(all);
  else yield* namedInXml(all);
}

/** A line of a robots.txt, such as `User-agent: *`. */
const DIRECTIVE = /^[a-z-]+\s*:/i;

/** Returns the first line that is complete, not blank and no comment. */
const firstLine = (text: string): string | undefined =>
  text
    .split(LINE_END)
    .slice(0, -1)
    .map((line) => line.trim())
    .find(isUsable);

const LINE_END = /\r\n|\r|\n/;
const isUsable = (line: string): boolean => line !== '' && !line.startsWith('#');

async function* listedIn(text: AsyncIterable<string>): AsyncGenerator<Location> {
  for await (const line of linesOf(text)) yield { text: line, isPage: true };
}

async function* namedByRobots(text: AsyncIterable<string>): AsyncGenerator<Location> {
  let isNamed = false;
  for await (const line of linesOf(text)) {
    const [, named] = /^sitemap\s*:\s*(\S+)/i.exec(line) ?? [];
    if (named === undefined) continue;
    isNamed = true;
    yield { text: named, isPage: false };
  }
  if (!isNamed) throw new FaultyTextError('is a robots.txt that names no sitemap.');
}

/** Yields the lines that are not blank and no comments. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  const usable = (lines: string[]) => lines.map((line) => line.trim()).filter(isUsable);
  let rest = '';
  for await (const part of text) {
    const lines = (rest + part).split(LINE_END);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw new FaultyTextError('has a line that is too long for an address.');
    yield* usable(lines);
  }
  yield* usable([rest]);
}

/** Yields the addresses of a sitemap. The parser expands no entity but those of XML and HTML, and holds one element at most. */
async function* namedInXml(text: AsyncIterable<string>): AsyncGenerator<Location> {
  const { parser, found, isSitemap } = newParser();
  for await (const part of text) {
    parser.write(part);
    yield* found.splice(0);
  }
  if (!isSitemap()) throw new FaultyTextError('is empty or no XML.');
  parser.close();
}

const newParser = () => {
  const parser = sax.parser(true);
  const path: string[] = [];
  const found: Location[] = [];
  let kind: (typeof kinds)[string] | undefined;
  let attributes = 0;
  let location: string | undefined;
  parser.onerror = ({ message }) => {
    const [reason = ''] = message.split('\n');
    const place = `line ${parser.line + 1}, column ${parser.column + 1}`;
    throw new FaultyTextError(`is no valid XML in ${place}: ${reason.replace(/\.$/, '')}.`);
  };
  parser.ondoctype = () => {
    throw new FaultyTextError('has a DOCTYPE, which no sitemap has. It may be a web page.');
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) {
      throw new FaultyTextError(`has an element with more than ${MAX_ATTRIBUTES} attributes.`);
    }
  };
  parser.onopentag = ({ name }) => {
    attributes = 0;
    const local = name.slice(name.indexOf(':') + 1);
    if (path.length === 0) kind = Object.hasOwn(kinds, local) ? kinds[local] : undefined;
    if (!kind) throw new FaultyTextError(`is no sitemap. Its first element is <${local.slice(0, 40)}>.`);
    path.push(local);
    if (path.length > MAX_DEPTH) throw new FaultyTextError(`has elements more than ${MAX_DEPTH} deep.`);
    if (path.length === 3 && local === 'loc' && path[1] === kind.entry) location = '';
  };
  parser.onclosetag = () => {
    if (path.length === 3 && location !== undefined && kind) {
      found.push({ text: location.trim(), isPage: kind.isPage });
      location = undefined;
    }
    path.pop();
  };
  const addText = (text: string) => {
    if (location !== undefined && location.length < MAX_LOCATION_LENGTH) location += text;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  return { parser, found, isSitemap: () => kind !== undefined };
};
