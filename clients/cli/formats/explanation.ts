import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import { sectionsOf } from '../../words/explanation.ts';
import { prose } from './markdown-syntax.ts';
import { paint, signed, type View, wrap } from './terminal.ts';

/** Returns the explanation of each region as text for a terminal: its sentence, and the facts behind it. */
export const explanationText = ({ regions }: CheckExplanation, view: View): string =>
  Object.entries(regions)
    .flatMap(([region, explanation]) => [
      '',
      ...wrap(`${paint(`Why, ${region}`, 'heading', view)}  ${explanation.sentence}`, view.width),
      ...sectionsOf(explanation).flatMap(({ title, entries }) => [
        ...wrap(title, view.width),
        ...entries.flatMap((entry) => signed('  -', entry, view)),
      ]),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** Returns the sentence of each region as lines of text. */
export const whyText = (explanation: CheckExplanation | null, view: View): string[] =>
  Object.entries(explanation?.regions ?? {}).flatMap(([region, { sentence }]) =>
    wrap(`Why, ${region}: ${sentence}`, view.width),
  );

/** Returns the sentence of each region as lines of Markdown. */
export const whyLines = (explanation: CheckExplanation | null): string[] =>
  Object.entries(explanation?.regions ?? {}).flatMap(([region, { sentence }]) => [
    `**Why, ${prose(region)}:** ${prose(sentence)}`,
    '',
  ]);

/** Returns the explanation of each region as Markdown: its sentence, and the facts behind it in a part that unfolds. */
export const explanationMarkdown = ({ regions, ...rest }: CheckExplanation): string[] =>
  Object.entries(regions).flatMap(([region, explanation]) => {
    const sections = sectionsOf(explanation).map(
      ({ title, entries }) => `**${prose(title)}**\n${entries.map((entry) => `- ${prose(entry)}`).join('\n')}`,
    );
    return [
      ...whyLines({ ...rest, regions: { [region]: explanation } }),
      ...(sections.length > 0
        ? [`<details><summary>Facts</summary>\n\n${sections.join('\n\n')}\n\n</details>`, '']
        : []),
    ];
  });
