import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { z } from 'zod';
import { MAX_BODY_BYTES } from '../../../shared/check.ts';
import { ApiProblem, type InputError } from '../../../shared/problems.ts';

export const parseQuery = (sent: Record<string, string | undefined>, accepted: readonly string[] | 'any') => {
  if (accepted === 'any') return sent;
  const supported =
    accepted.length > 0 ? `Accepted parameters: ${accepted.join(', ')}.` : 'This path accepts no parameters.';
  const errors = Object.keys(sent)
    .filter((name) => !accepted.includes(name))
    .map((name) => ({ path: name.slice(0, 100), message: `Unknown parameter. ${supported}` }));
  if (errors.length > 0) {
    throw new ApiProblem('invalid-request', `The query has an unknown parameter. ${supported}`, { errors });
  }
  return sent;
};

export const parseBody = <Body>(event: APIGatewayProxyEventV2, schema: z.ZodType<Body>): Body => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiProblem('payload-too-large', `The body is larger than the limit of ${MAX_BODY_BYTES} bytes.`);
  }
  const type = event.headers['content-type'];
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw new ApiProblem(
      'unsupported-media-type',
      'The Content-Type is not JSON. Send JSON with "Content-Type: application/json".',
    );
  }
  const parsed = schema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new ApiProblem('invalid-request', 'The body is invalid. `errors` lists each wrong field and what it accepts.', {
    errors: inputErrors(parsed.error, schema),
  });
};

const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) throw new ApiProblem('invalid-request', 'The body is empty. Send a JSON object.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiProblem('invalid-request', 'The body is not valid JSON. Send a JSON object in UTF-8.');
  }
};

const inputErrors = (error: z.ZodError, schema: z.ZodType): InputError[] =>
  error.issues.slice(0, 50).flatMap((issue): InputError[] => {
    if (issue.code === 'unrecognized_keys') {
      const message = issue.path.length === 0 ? unknownField(schema) : 'Unknown field.';
      return issue.keys.slice(0, 50).map((key) => ({ path: [...issue.path, key].join('.').slice(0, 100), message }));
    }
    return [{ path: issue.path.join('.'), message: issue.message }];
  });

const unknownField = (schema: z.ZodType): string =>
  `Unknown field.${schema instanceof z.ZodObject ? ` Accepted fields: ${Object.keys(schema.shape).join(', ')}.` : ''}`;
