import { isFinished } from '../../../shared/states.ts';
import { fullChangeText } from '../../words/change.ts';
import { comparedEntries } from '../../words/compared.ts';
import { headlineOfChange } from '../../words/headline.ts';
import { confirmationText } from '../formats/confirmation.ts';
import type { Results } from '../formats/json.ts';

/** GitHub shows at most ten annotations of each level and step. One is left for a message of the action itself. */
const MAX_ANNOTATIONS = 9;

const levels = ['error', 'warning'] as const;
export type Annotation = { level: (typeof levels)[number]; title: string; message: string };
/** Something that failed. `kind` and `name` are the same for the same fault of a later commit. */
export type Finding = Annotation & { url: string; device: string; kind: string; name: string };

/**
 * Returns the failed runs, assertions and regressions as annotations, errors first. The last one counts those left out. A
 * base without a verdict is an error, unless the step allows it.
 */
export const annotationsOf = (results: Results, { allowEmpty = false } = {}): Annotation[] => {
  const findings = allFindings(results, { allowEmpty });
  return levels.flatMap((level) =>
    bounded(
      level,
      findings.filter((each) => each.level === level),
    ),
  );
};

/** Returns everything that failed. */
export const allFindings = ({ checks }: Results, { allowEmpty = false } = {}): Finding[] =>
  checks.flatMap((check) =>
    findingsOf(check, allowEmpty ? 'warning' : 'error').map((finding) => ({
      ...finding,
      url: check.url,
      device: check.device ?? 'mobile',
    })),
  );

const bounded = (level: Annotation['level'], findings: Annotation[]): Annotation[] => {
  if (findings.length <= MAX_ANNOTATIONS) return findings;
  const shown = findings.slice(0, MAX_ANNOTATIONS - 1);
  const title = `and ${findings.length - shown.length} more`;
  return [...shown, { level, title, message: 'GitHub shows few annotations. The job summary has more.' }];
};

const findingsOf = (
  { url, runs, base, baseProblem, confirmation }: Results['checks'][number],
  levelOfNoVerdict: Annotation['level'],
): Omit<Finding, 'url' | 'device'>[] => [
  ...runs.flatMap(({ region, state, error, assertions }) => [
    ...(!isFinished(state)
      ? [
          {
            level: 'error' as const,
            kind: 'unfinished',
            name: region,
            title: `${region}: unfinished`,
            message: `${url}: The command ended before this run finished.`,
          },
        ]
      : []),
    ...(error
      ? [
          {
            level: 'error' as const,
            kind: error.code,
            name: region,
            title: `${region}: ${error.code}`,
            message: `${url}: ${error.message}`,
          },
        ]
      : []),
    ...(assertions ?? [])
      .filter(({ passed }) => !passed)
      .map(({ passed, level, key, name, message }) => ({
        kind: key,
        name: `${region} ${name}`,
        level: level !== 'error' ? ('warning' as const) : passed === null ? levelOfNoVerdict : ('error' as const),
        title: `${region}: ${key}`,
        message: `${url}: ${message}`,
      })),
  ]),
  ...(baseProblem
    ? [
        {
          level: base ? ('warning' as const) : levelOfNoVerdict,
          kind: 'no-verdict',
          name: '',
          ...{
            title: base ? 'Not judged' : 'Not compared',
            message: `${url}: ${[...(base ? [headlineOfChange(base)] : []), baseProblem].join(' ')}`,
          },
        },
      ]
    : []),
  ...(confirmation && confirmation.state !== 'refuted'
    ? [
        {
          level: confirmation.state === 'confirmed' ? ('error' as const) : ('warning' as const),
          kind: 'suspected-change',
          name: '',
          title: `Suspected change: ${confirmation.state}`,
          message: `${url}: ${confirmationText(confirmation)}`,
        },
      ]
    : []),
  ...(base ? comparedEntries(base) : []).flatMap(({ id: metric, name, regions }) =>
    Object.entries(regions)
      .filter(([, { verdict }]) => verdict === 'regressed')
      .map(([region, compared]) => ({
        level: 'error' as const,
        kind: 'regression',
        name: `${region} ${metric}`,
        title: `${region}: ${metric} regressed`,
        message: `${url}: ${metric} was ${compared.base} and is ${compared.value}: ${fullChangeText(name, compared)}.`,
      })),
  ),
];
