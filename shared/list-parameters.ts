import { auditVersions } from './audit-versions.ts';
import { devices } from './options/audit-options.ts';
import { pageOrders, standings } from './pages/page-list.ts';
import { runRegions } from './regions.ts';
import { checkStates } from './states.ts';

export type ListName = 'checks' | 'runs' | 'pages' | 'marks';

/** A query parameter of lists. Those that filter have matchers in list-parameters-schemas.ts. */
export type Parameter = {
  /** The lists that take it. */
  lists: readonly ListName[];
  /** Says what it accepts. */
  accepted: string;
  /** Its values, if they are few. */
  values?: readonly string[];
  /** Flag of the commands that print these lists. Without a flag, a command has code for it. */
  flag?: { name: `--${string}`; help: string };
  /** Input of the tools for agents. Without it, agents have no such input. */
  agent?: { name?: string; help?: string };
  /** Filter of recent checks on the web page. `names` has words for its values. */
  field?: { title: string; placeholder?: string; names?: readonly string[] };
};

const everyList = ['checks', 'runs', 'pages'] as const;
const byTime = ['checks', 'runs'] as const;
const withMarks = [...everyList, 'marks'] as const;
const timed = [...byTime, 'marks'] as const;

/** Largest limit of a list, and of the list of pages and an export. */
export const MAX_LIMIT = 100;
export const MAX_PAGES = 1000;
/** Longest time that a list of pages looks back, in days. */
export const MAX_DAYS = 365;

const time = 'The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z.';

/** The query parameters of all lists, in the order of the document of the API. */
export const listParameters = {
  limit: {
    lists: everyList,
    accepted: `The limit must be a whole number from 1 to ${MAX_LIMIT}, and of pages and of runs as NDJSON to ${MAX_PAGES}.`,
  },
  cursor: {
    lists: everyList,
    accepted: 'The cursor must be the `nextCursor` of an earlier answer. To begin with the first entry, leave it out.',
  },
  url: {
    lists: withMarks,
    accepted: 'The URL must start with http:// or https://, such as https://example.com/.',
    flag: { name: '--url <url>', help: 'this URL only' },
    agent: {},
  },
  q: {
    lists: ['checks', 'pages'],
    accepted: 'The search must be a part of the URL, of at most 200 characters.',
    flag: { name: '--search <text>', help: 'results with this text in their URL only' },
    agent: { name: 'search' },
    field: { title: 'Search', placeholder: 'part of a URL' },
  },
  region: {
    lists: ['runs', 'pages', 'marks'],
    accepted: `The region must be one of: ${runRegions.join(', ')}.`,
    flag: { name: '--region <name>', help: 'results of this region only' },
    agent: {},
  },
  device: {
    lists: withMarks,
    accepted: `The device must be one of: ${devices.join(', ')}.`,
    values: devices,
    flag: { name: '--device <name>', help: 'results on mobile or desktop only' },
    agent: {},
  },
  auditVersion: {
    lists: byTime,
    accepted: `The audit version must be one of: ${auditVersions.map(({ version }) => version).join(', ')}, a major such as 12, or latest.`,
    flag: { name: '--audit-version <version>', help: 'results of this version only' },
  },
  state: {
    lists: ['checks'],
    accepted: `The state must be one of: ${checkStates.join(', ')}.`,
    values: checkStates,
    flag: { name: '--state <state>', help: 'checks in this state only' },
    agent: {},
    field: { title: 'State' },
  },
  assertionsPassed: {
    lists: ['checks'],
    accepted: 'Whether the assertions passed must be true or false.',
    values: ['true', 'false'],
    flag: { name: '--assertions-passed <true or false>', help: 'checks whose assertions passed, or failed' },
    agent: { help: 'Checks whose assertions passed, or failed.' },
    field: { title: 'Assertions', names: ['passed', 'failed'] },
  },
  label: {
    lists: withMarks,
    accepted: 'A label must be a name, a colon and a value, such as branch:main.',
    flag: { name: '--label <name=value>', help: 'results with this label only. Repeat it for more labels' },
    agent: { help: 'Such as branch=main. All must match.' },
    field: { title: 'Label', placeholder: 'branch:main' },
  },
  createdAfter: {
    lists: timed,
    accepted: time,
    flag: { name: '--created-after <time>', help: 'created after this time, such as 2031-01-01T00:00:00Z' },
  },
  createdBefore: {
    lists: timed,
    accepted: time,
    flag: { name: '--created-before <time>', help: 'created before this time' },
  },
  every: { lists: ['runs'], accepted: 'The step must be day, for medians by day.' },
  since: {
    lists: ['pages'],
    accepted: `The time must be previous, a number of days from 1d to ${MAX_DAYS}d, or the label of a check, such as branch:main.`,
    agent: { help: '7d, previous or release=1.2.' },
  },
  changed: {
    lists: ['pages'],
    accepted: `The change must be one of: ${standings.join(', ')}.`,
    values: standings,
    flag: { name: '--changed <name>', help: `pages of one kind only: ${standings.join(', ')}` },
  },
  sort: {
    lists: ['pages'],
    accepted: `The order must be one of: ${pageOrders.join(', ')}.`,
    values: pageOrders,
  },
} as const satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof listParameters;
export const parameterNames = Object.keys(listParameters) as ParameterName[];

/** Names of the parameters of a list. */
export type ParameterOf<List extends ListName> = {
  [Name in ParameterName]: List extends (typeof listParameters)[Name]['lists'][number] ? Name : never;
}[ParameterName];

/** Names of the parameters that filter metrics, as they filter the list of pages. */
export const metricsParameters = [
  'url',
  'q',
  'region',
  'device',
  'label',
] as const satisfies readonly ParameterOf<'pages'>[];

export const listParameter = (name: ParameterName): Parameter => listParameters[name];

/** Returns the names of the parameters of a list. */
export const parametersOf = <List extends ListName>(list: List): ParameterOf<List>[] =>
  parameterNames.filter((name): name is ParameterOf<List> => listParameter(name).lists.includes(list));
