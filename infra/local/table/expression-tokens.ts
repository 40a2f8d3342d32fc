/** The error of a text that is no expression. */
export class SyntaxFault extends Error {}

const TOKEN = /\s*([#:]?[A-Za-z_0-9]+|<=|>=|<>|[=<>(),.[\]+-])/y;

/** Returns the words and signs of an expression. */
export const tokensOf = (text: string): string[] => {
  const tokens: string[] = [];
  let end = 0;
  for (TOKEN.lastIndex = 0; ; end = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (!match) break;
    tokens.push(match[1] as string);
  }
  const rest = text.slice(end).trim();
  if (rest !== '') throw new SyntaxFault(`Syntax error; token: "${rest[0]}"`);
  return tokens;
};
