import { expect, test } from 'vitest';
import { productFolders, sourcesIn } from '../support/source-files.ts';

/*
 * A subject has files of its own, whose paths name it. Each other file that names it may have to change when the subject does,
 * so their number says what a change costs. Lower `most` when fewer files name the subject.
 */
const subjects = [
  { subject: 'interactions', name: /\binteractions?\b/i, own: /interaction/, most: 86 },
  { subject: 'field data', name: /field-?data/i, own: /field-(data|section|history)|crux/, most: 27 },
  { subject: 'trace and HAR', name: /artifacts?\b/i, own: /artifact|kept-files/, most: 24 },
  { subject: 'simulations', name: /\bsimulations\b/i, own: /simulation/, most: 22 },
  { subject: 'secret texts', name: /secretTexts?/, own: /secret/, most: 14 },
  { subject: 'badges', name: /badge/i, own: /badge/, most: 16 },
  { subject: 'marks', name: /\bmarks?\b/i, own: /marks/, most: 41 },
  { subject: 'schedules', name: /\bschedules?\b/i, own: /schedule/, most: 48 },
  { subject: 'webhooks', name: /\bwebhooks?\b/i, own: /webhook|deliver/, most: 36 },
  { subject: 'builds', name: /lighthouse-?ci|\bbuilds\b/i, own: /build|lighthouse-ci/, most: 15 },
];

const sources = productFolders.flatMap(sourcesIn);

test.each(subjects)('at most $most files beside its own name $subject', ({ name, own, most }) => {
  const others = sources.filter(({ path, text }) => !own.test(path) && name.test(text)).map(({ path }) => path);
  expect(sources.some(({ path }) => own.test(path))).toBe(true);
  expect(others.length, others.join('\n')).toBeLessThanOrEqual(most);
});
