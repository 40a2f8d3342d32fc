import { type ConditionTree, type Parsed, Parser, type PathTree, type UpdateTree } from './expression-parser.ts';

type Tree = ConditionTree | UpdateTree | PathTree[];

/** The stores have few expressions and send each of them often. */
const known = new Map<string, Parsed<Tree>>();
const MAX_KNOWN = 1000;

const cached =
  <T extends Tree>(kind: string, parse: (parser: Parser) => T) =>
  (text: string): Parsed<T> => {
    const key = `${kind} ${text}`;
    const found = known.get(key) as Parsed<T> | undefined;
    if (found) return found;
    const parser = new Parser(text);
    const tree = parse(parser);
    const { redundantParentheses, repeatedSection } = parser;
    const parsed = { tree, redundantParentheses, repeatedSection };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, parsed);
    return parsed;
  };

export const parseCondition = cached('condition', (parser) => parser.condition());
export const parseUpdate = cached('update', (parser) => parser.update());
export const parseProjection = cached('projection', (parser) => parser.projection());
