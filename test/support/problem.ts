import { expect } from 'vitest';
import { ApiProblemError, Problem } from '../../shared/problems.ts';

/** Returns the problem document of a response, after checking its form, status and code. */
export const problemOf = async (answer: Response, status: number, code: string): Promise<Problem> => {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const problem = Problem.strict().parse(await answer.json());
  expect({ status: answer.status, code: problem.code }).toEqual({ status, code });
  expect(problem.status).toBe(status);
  return problem;
};

/** Returns the problem that a function throws. */
export const problemFrom = (work: () => unknown): ApiProblemError => {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiProblemError) return error;
    throw error;
  }
  throw new Error('no problem was thrown');
};

/** Wording of the schema library in its default language. It is for programmers and reaches no client or operator. */
export const libraryWords =
  /invalid (input|option|string|element|type|value)|expected|received|too (small|big)|unrecognized|>=|<=/i;
