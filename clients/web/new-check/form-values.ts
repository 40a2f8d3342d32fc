import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { labelTexts } from '../../words/facts.ts';
import { simulationText } from '../../words/simulations.ts';
import { optionFields } from './option-fields.ts';
import { throttlingFields } from './throttling.ts';

/** Texts of the inputs of a form, by their names. */
type FormValues = ReadonlyMap<string, string>;
type Variant = NonNullable<CheckView['against']>;

/** The values that a form has at first. Without a check to repeat, it has none. */
export const FirstValues = createContext<FormValues>(new Map());
export const useFirstValues = (): FormValues => useContext(FirstValues);

/** Label of checks that one form has created together. */
export const BATCH = 'batch';

/** Returns the values with which the form of a new check repeats a check. */
export const formValuesOf = (check: CheckView): FormValues =>
  new Map([
    ['url', check.url],
    ...variantValues(check, ''),
    ['auditVersion', check.auditVersion],
    ['categories', check.categories?.join(' ') ?? ''],
    ['labels', labelTexts({ labels: withoutBatch(check.labels) }).join('\n')],
    ...againstValues(check.against),
  ]);

const withoutBatch = (labels: CheckView['labels'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== BATCH));

const againstValues = (against: Variant | undefined): [string, string][] =>
  against
    ? [
        ...(['url', 'device', 'auditVersion'] as const).map((name): [string, string] => [
          `against.${name}`,
          against[name] ?? '',
        ]),
        ['against.nothingBlocked', against.blockedUrlPatterns?.length === 0 ? 'yes' : ''],
        ...variantValues(against, 'against.'),
      ]
    : [];

/** Returns the values of the throttling, and of the options whose fields follow from their table. */
const variantValues = (variant: Partial<CheckView> | Variant, prefix: string): [string, string][] => {
  const { throttling } = variant;
  const kind = typeof throttling === 'object' ? 'custom' : (throttling ?? '');
  return [
    [`${prefix}throttling`, kind],
    ...throttlingFields.map(({ name }): [string, string] => [
      `${prefix}throttling.${name}`,
      typeof throttling === 'object' ? `${throttling[name]}` : '',
    ]),
    ...optionFields.map((field): [string, string] => [`${prefix}${field.name}`, textOf(variant, field)]),
  ];
};

const textOf = (variant: Partial<CheckView>, { name, kind }: (typeof optionFields)[number]): string => {
  const value = variant[name];
  if (value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'simulations') return (variant.simulations ?? []).map(simulationText).join('\n');
  return (value as string[]).join('\n');
};
