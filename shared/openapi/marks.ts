import { CreateMarkBody, Mark, MarkList } from '../marks.ts';
import { listQuery } from './list-query.ts';
import type { Operations } from './operation.ts';

const tag = 'Marks';

const aMark = {
  id: '4a1f0d2e-8b3c-5d6e-9f70-a1b2c3d4e5f6',
  text: 'deploy 4f2a',
  at: '2026-11-26T14:03:00.000Z',
  url: 'https://example.com/',
  labels: { branch: 'main' },
  checkId: null,
} satisfies Mark;

/** The documentation of the routes of marks. */
export const markOperations = {
  'POST /v1/marks': {
    tag,
    operationId: 'createMark',
    summary: 'Mark a time, such as that of a deploy',
    description:
      'Trends draw marks, and `page.regressed` names the last one before the step. The same mark is made once.',
    body: { schema: CreateMarkBody, example: { text: aMark.text, url: aMark.url, labels: aMark.labels } },
    answers: {
      200: { description: 'The mark, which existed.', schema: Mark, example: aMark, headers: ['location'] },
      201: { description: 'The mark.', schema: Mark, example: aMark, headers: ['location'] },
    },
    problems: ['payload-too-large', 'unsupported-media-type', 'too-many-requests'],
  },
  'GET /v1/marks': {
    tag,
    operationId: 'listMarks',
    summary: 'List marks, oldest first',
    description:
      'With `url`, the marks of this page: those of the page and of all pages, and those that the labels `deploy`, `release`, `version` and `commit` of its checks make. Without it, the marks of all pages.',
    query: listQuery('marks'),
    answers: { 200: { description: 'The marks.', schema: MarkList, example: { marks: [aMark] } } },
  },
  'DELETE /v1/marks/{markId}': {
    tag,
    operationId: 'deleteMark',
    summary: 'Delete a mark',
    answers: { 204: { description: 'The mark is deleted.' } },
    problems: ['not-found'],
  },
} satisfies Partial<Operations>;
