import { cutText } from '../../../shared/text.ts';

/** Most characters of a text that may quote a page. */
const MAX_TEXT_LENGTH = 500;

/** Returns a text that Markdown shows as it is. The text makes no markup, link, mention of a user or reference to an issue. */
export const prose = (text: string): string => escaped(text).replace(/&#(?:64|35);/g, '$&&#8288;'); // a word joiner: GitHub looks for mentions in the text that it shows

/** Returns a text as code. GitHub looks for no mentions in it. */
export const code = (text: string): string => `<code>${escaped(text)}</code>`;

const escaped = (text: string): string =>
  cutText(text, MAX_TEXT_LENGTH).replace(/[#$&*<>@[\\\]_`|~]|:(?=\/\/)|w(?=ww\.)/gi, entity);

const entity = (char: string): string => `&#${char.charCodeAt(0)};`;

/** Returns a link. The URL is one of the service. */
export const link = (text: string, url: string): string =>
  `[${text}](<${url.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;

/** Returns the lines of a table. A cell is Markdown. */
export const tableOf = (header: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  '',
  ...tableRows([header, header.map(() => '---'), ...rows]),
  '',
];

export const tableRows = (rows: readonly (readonly string[])[]): string[] =>
  rows.map((cells) => `| ${cells.join(' | ')} |`);
