import { expect, test } from 'vitest';
import { assertionSentence } from '../../clients/words/assertions.ts';

test.each([
  ['categories:performance', ' has score 0.4, expected at least 0.9', 'Performance'],
  ['categories.best-practices', ' has score 0.4, expected at least 0.9', 'Best practices'],
  ['largest-contentful-paint', ' is 2,612 ms, expected at most 2,500 ms', 'Largest contentful paint'],
  ['unsized-images', ' lists 2 items, expected at most 1 item', 'Unsized images'],
  [
    'resource-summary:third-party:size',
    ' is 1,533 bytes, expected at most 1,024 bytes',
    'Resource summary: third-party size',
  ],
  ['user-timings:hero', ' is 12 ms, expected at most 1 ms', 'User timings: hero'],
])('an assertion on %s has a title, and its message without the key', (key, rest, title) => {
  expect(assertionSentence({ key, message: key + rest })).toEqual({ title, found: rest.trim() });
});

test('a message that does not begin with the key stays as it is', () => {
  const message = 'Lighthouse 13.5.0 has no audit image-alts in the categories performance';
  expect(assertionSentence({ key: 'image-alts', message })).toEqual({ title: 'Image alts', found: message });
});
