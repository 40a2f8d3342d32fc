import { optionNames, options } from '../../shared/audit-options.ts';
import { simulationFrom } from '../words/simulations.ts';
import { throttlingFields } from './throttling.ts';

/** The options whose field follows from their table. */
export const optionFields = optionNames.flatMap((name) => {
  const row = options[name];
  return 'field' in row ? [{ name, title: row.title, ...row.field }] : [];
});

/** Returns the inputs of the check that a form describes. */
export const inputsOf = (form: FormData) => {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lines = (name: string) =>
    text(name)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  const labels = lines('labels').map(pairOf);
  const categories = form.getAll('categories').map(String);
  return {
    url: text('url'),
    auditVersion: text('auditVersion') || 'latest',
    regions: form.getAll('regions').map(String),
    device: text('device'),
    samples: Number(text('samples')),
    ...(text('throttling') && { throttling: throttlingOf(text) }),
    ...Object.fromEntries(
      optionFields
        .map(
          ({ name, kind }) => [name, kind === 'simulations' ? lines(name).map(simulationFrom) : lines(name)] as const,
        )
        .filter(([, value]) => value.length > 0),
    ),
    ...(categories.length > 0 && { categories }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
  };
};

const pairOf = (line: string) => {
  const [, name = '', value = ''] = /^([^:]*):?(.*)$/.exec(line) ?? [];
  return [name.trim(), value.trim()];
};

const throttlingOf = (text: (name: string) => string) => {
  if (text('throttling') !== 'custom') return text('throttling');
  return Object.fromEntries(throttlingFields.map(({ name }) => [name, Number(text(`throttling.${name}`))]));
};
