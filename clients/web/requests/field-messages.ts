import { MAX_PATTERN_LENGTH, MAX_PATTERNS } from '../../../shared/options/blocked-urls.ts';
import { MAX_LABELS } from '../../../shared/options/labels.ts';
import { MAX_COOKIES, MAX_HEADERS, MAX_SECRET_TEXTS, MIN_SECRET_LENGTH } from '../../../shared/options/secrets.ts';
import { MAX_SIMULATIONS, simulationPresetNames } from '../../../shared/options/simulations.ts';
import { bounds, type ThrottlingName } from '../../../shared/options/throttling.ts';
import type { InputError } from '../../../shared/problems.ts';
import { grouped } from '../../../shared/text.ts';
import { filled } from './own-messages.ts';

/** The beginning of the path, the beginning of the text of the API, and the text of the page. `$1` is a part of the text of the API. */
type Row = readonly [path: RegExp, api: RegExp, page: string];

const COOKIE = 'Each cookie needs a name, a value and a domain.';
const RELOAD = 'Reload the page, and choose again.';

/** The page says what to do in its form. The API says what a request must have. */
const rows: readonly Row[] = [
  [/^name$/, /^The name must/, 'Give the schedule a name of up to 100 characters, such as Shop.'],
  [
    /^every$/,
    /^The times must/,
    'Write an interval of at least 5 minutes, such as 30m, 6h or 1d. Or write five fields of cron: 0 6 * * 1-5 is 6:00 from Monday to Friday.',
  ],
  [
    /^every\.cron$/,
    /^The cron expression must/,
    'Write five fields of cron: minute, hour, day of month, month and day of week. 0 6 * * 1-5 is 6:00 from Monday to Friday.',
  ],
  [
    /^every\.cron$/,
    /^Two times of the cron/,
    'Some of these times are less than 5 minutes apart. Write fewer, such as */15 * * * *.',
  ],
  [
    /^every\.cron$/,
    /^The cron expression has no time/,
    'No day has this time. Write a day that exists, such as 0 6 1 * * for the first of each month.',
  ],
  [/^every\.timeZone$/, /^The time zone is unknown/, 'Write the name of a time zone, such as Europe/Berlin or UTC.'],
  [
    /^url$/,
    /^The schedule keeps its headers/,
    'This is another site. Enter the login of the page again below, or tick that the schedule forgets its login.',
  ],
  [
    /^url$/,
    /^The URL of a webhook must|example\.com\/hooks/,
    'Enter the URL of your receiver. It starts with https://, such as https://example.com/hooks.',
  ],
  [
    /^url$/,
    /^The URL must (be a string|start with http)/,
    'Enter a URL that starts with https:// or http://, such as https://example.com/.',
  ],
  [/^auditVersion$/, /^The audit version/, `The service does not offer this Lighthouse version. ${RELOAD}`],
  [
    /^auditVersion$/,
    /^Audit version (\S+) has no category (.+), and/,
    'Lighthouse $1 has no category $2. Untick the category, or choose another version.',
  ],
  [/^regions$/, /^Paused: (.+)\.$/, 'The operator has paused $1. Untick it, or audit the page later.'],
  [/^regions$/, /^The regions must be/, 'Choose at least one region.'],
  [/^regions$/, /^A region is not/, `The service does not offer one of these regions. ${RELOAD}`],
  [/^region$/, /^The region must/, 'Choose a region of the list.'],
  [/^device$/, /^The device must/, 'Choose a device of the list.'],
  [/^state$/, /^The state must/, 'Choose a state of the list.'],
  [/^categories/, /^The categories must|^List each category/, `The service does not offer these categories. ${RELOAD}`],
  [
    /^categories$/,
    /^Audit version (\S+) has no category (.+?)\. Its/,
    'Lighthouse $1 has no category $2. Untick it, or choose another version.',
  ],
  [
    /^labels/,
    /^The labels must/,
    `Write at most ${MAX_LABELS} labels, each on a line of its own: a name, a colon and a value, such as branch: main. A name has up to 32 of a-z, 0-9, dot, hyphen and underscore, and a value up to 128 characters.`,
  ],
  [/^label\b/, /^A label must/, 'Enter a name, a colon and a value, such as branch:main.'],
  [/^throttling$/, /^The throttling must/, 'Choose a throttling of the list.'],
  [
    /^blockedUrlPatterns/,
    /^The blocked URL patterns must/,
    `Write at most ${MAX_PATTERNS} patterns, each on a line of its own, with at most ${MAX_PATTERN_LENGTH} characters.`,
  ],
  [
    /^(blockedUrlPatterns|url)/,
    /^The pattern (".*") must not match/,
    'The pattern $1 blocks the page itself. Write a pattern that matches less, or delete it.',
  ],
  [
    /^against$/,
    /^The second variant must/,
    'Change at least one field here to another value than above, or empty them.',
  ],
  [
    /^simulations/,
    /^The simulations must/,
    `Write at most ${MAX_SIMULATIONS} simulations, each on a line of its own: ${simulationPresetNames.join(', ')}, or a name with round trip (ms), kbit/s and CPU slowdown, such as train=800/200/4.`,
  ],
  [/^simulations/, /^Give each simulation/, 'Two simulations have the same name. Change one of the names.'],
  [/^simulations/, /^A simulation needs/, 'Simulations need the category performance. Tick it, or empty this field.'],
  [
    /^(headers|basicAuth|cookies|storageState|secretTexts)/,
    /^The headers, the basicAuth.* at most (\d+) bytes .* These have (\d+)\./,
    'Headers, password, cookies, storage state and secret texts have $2 bytes together, and $1 are allowed. Keep those that the page needs.',
  ],
  [
    /^headers/,
    /^The headers must be/,
    `Write at most ${MAX_HEADERS} headers, each on a line of its own: a name, a colon and a value of ASCII characters, such as x-preview-token: abc. Headers of the connection and host are not accepted.`,
  ],
  [/^basicAuth/, /^The basicAuth must/, 'Enter a user name without a colon, and a password.'],
  [/^basicAuth/, /Authorization/, 'Enter a user name here, or an Authorization header above, and not both.'],
  [
    /^(cookies|storageState)/,
    /^The (?:domain|origin) (.+) must belong to (.+), as/,
    '$1 does not belong to $2, the site of the URL. Delete this entry.',
  ],
  [/^cookies/, /^The cookies must/, `Use at most ${MAX_COOKIES} cookies of the page's site. ${COOKIE}`],
  [
    /^storageState/,
    /^The storageState must/,
    `Choose the file that Playwright's context.storageState() writes, with at most ${MAX_COOKIES} cookies of the page's site. ${COOKIE}`,
  ],
  [
    /^secretTexts/,
    /^The secretTexts must/,
    `Write at most ${MAX_SECRET_TEXTS} texts, each on a line of its own: a name of a-z, 0-9, dot, hyphen and underscore, a colon and at least ${MIN_SECRET_LENGTH} characters. Type a shorter text as a plain text.`,
  ],
  [
    /^interactions/,
    /^The secret text that (.+) types is missing/,
    'The secret text that $1 types is missing. Enter it below, at the secrets.',
  ],
  [
    /^assertions/,
    /^The assertions must be an object such as (.+)\.$/,
    'This is not the JSON of assertions. Check its quotes and commas. An example: $1',
  ],
];

/** The number of an entry that a user has written. */
const listed = /^(?:blockedUrlPatterns|simulations|cookies|storageState)\b.*?\.(\d+)(?:\.|$)/;

/** Returns the text of an error at its field. A text of the API that is right on the page too stays. */
export const messageAt = ({ path, message }: InputError): string => {
  const own = path.replace(/^(check\.)?(against\.)?/, '');
  const [, bounded] = /^throttling\.(\w+)$/.exec(own) ?? [];
  if (bounded && bounded in bounds) {
    const range = bounds[bounded as ThrottlingName].map((each) => grouped(each));
    return `Enter a number from ${range.join(' to ')}.`;
  }
  const [, key] = /^assertions\.(.+)$/.exec(own) ?? [];
  if (key) return `${key}: ${message}`;
  const row = rows.find(([ofPath, api]) => ofPath.test(own) && api.test(message));
  const text = row ? filled(row[2], row[1].exec(message) ?? []) : message;
  const [, index] = listed.exec(own) ?? [];
  return index === undefined ? text : `See entry ${Number(index) + 1}. ${text}`;
};
