import type { MetricName } from '../../shared/page-metrics.ts';
import { changeText } from '../words/change.ts';
import type { Results } from './results.ts';

/** GitHub shows at most ten annotations of each level and step. */
const MAX_ANNOTATIONS = 10;

type Annotation = { level: 'error' | 'warning'; title: string; message: string };

/** Returns the workflow commands that show failed runs, assertions and regressions as annotations, errors first. */
export const annotationsOf = (results: Results): string[] =>
  results.checks
    .flatMap(findingsOf)
    .sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'))
    .slice(0, MAX_ANNOTATIONS)
    .map(annotation);

/** Returns a workflow command. Escaping keeps a text of a page from becoming a command of its own. */
export const annotation = ({ level, title, message }: Annotation): string =>
  `::${level} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(message)}`;

const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const findingsOf = ({ url, runs, base, baseProblem }: Results['checks'][number]): Annotation[] => [
  ...runs.flatMap(({ region, state, error, assertions }) => [
    ...(state === 'created' || state === 'running'
      ? [
          {
            level: 'error' as const,
            title: `${region}: unfinished`,
            message: `${url}: The command ended before this run finished.`,
          },
        ]
      : []),
    ...(error
      ? [{ level: 'error' as const, title: `${region}: ${error.code}`, message: `${url}: ${error.message}` }]
      : []),
    ...(assertions ?? [])
      .filter(({ passed }) => !passed)
      .map(({ level, key, message }) => ({
        level: level === 'error' ? ('error' as const) : ('warning' as const),
        title: `${region}: ${key}`,
        message: `${url}: ${message}`,
      })),
  ]),
  ...(baseProblem ? [{ level: 'error' as const, title: 'Not compared', message: `${url}: ${baseProblem}` }] : []),
  ...Object.entries(base?.metrics ?? {}).flatMap(([metric, { regions }]) =>
    Object.entries(regions)
      .filter(([, { verdict }]) => verdict === 'regressed')
      .map(([region, compared]) => ({
        level: 'error' as const,
        title: `${region}: ${metric} regressed`,
        message: `${url}: ${metric} was ${compared.base} and is ${compared.value}: ${changeText(metric as MetricName, compared)}.`,
      })),
  ),
];
