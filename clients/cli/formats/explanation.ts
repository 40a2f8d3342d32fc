import type { CheckExplanation } from '../../../shared/explanation/schema.ts';
import { sectionsOf } from '../../words/explanation.ts';
import { prose } from './markdown-syntax.ts';
import { grouped } from './metrics.ts';
import { sectionMarkdown, sectionText } from './section.ts';
import { paint, type View, wrap } from './terminal.ts';

/** Returns the explanation of each region as text for a terminal: its sentence, and the facts behind it. */
export const explanationText = ({ regions }: CheckExplanation, view: View): string =>
  Object.entries(regions)
    .flatMap(([region, explanation]) => [
      '',
      ...wrap(`${paint(`Why, ${region}`, 'heading', view)}  ${explanation.sentence}`, view.width),
      ...sectionsOf(explanation).flatMap((section) => sectionText(section, view)),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** Returns the sentence of each region. Regions whose sentences differ in their numbers only share the first sentence. */
const sentencesOf = (explanation: CheckExplanation | null, verbose = false): { title: string; sentence: string }[] => {
  const all = Object.entries(explanation?.regions ?? {}).map(([region, { sentence }]) => ({ region, sentence }));
  const groups = grouped(all, ({ sentence }) => (verbose ? sentence : sentence.replace(/[\d.,]+/g, '0')));
  return groups.flatMap(([first, ...others]) =>
    first
      ? [
          {
            title: all.length === 1 ? 'Why' : `Why, ${[first, ...others].map(({ region }) => region).join(', ')}`,
            sentence: first.sentence,
          },
        ]
      : [],
  );
};

/** Returns the sentences as lines of text. */
export const whyText = (explanation: CheckExplanation | null, view: View): string[] =>
  sentencesOf(explanation, view.verbose).flatMap(({ title, sentence }) => wrap(`${title}: ${sentence}`, view.width));

/** Returns the sentences as lines of Markdown. */
export const whyLines = (explanation: CheckExplanation | null): string[] =>
  sentencesOf(explanation).flatMap(({ title, sentence }) => [`**${prose(title)}:** ${prose(sentence)}`, '']);

/** Returns the explanation of each region as Markdown: its sentence, and the facts behind it in a part that unfolds. */
export const explanationMarkdown = ({ regions }: CheckExplanation): string[] =>
  Object.entries(regions).flatMap(([region, explanation]) => {
    const facts = sectionsOf(explanation).flatMap(sectionMarkdown);
    return [
      `**Why, ${prose(region)}:** ${prose(explanation.sentence)}`,
      '',
      ...(facts.length > 0 ? ['<details><summary>Facts</summary>', '', ...facts, '</details>', ''] : []),
    ];
  });
