import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { z } from 'zod';
import { MAX_BODY_BYTES } from '../../../shared/check.ts';
import { ApiProblem, type InputError } from '../../../shared/problems.ts';

export const parseQuery = (sent: Record<string, string | undefined>, accepted: readonly string[] | 'any') => {
  if (accepted === 'any') return sent;
  const errors = Object.keys(sent)
    .filter((name) => !accepted.includes(name))
    .map((name) => ({ path: name.slice(0, 100), message: `accepted here: ${accepted.join(', ') || 'none'}` }));
  if (errors.length > 0) {
    throw new ApiProblem('invalid-request', 'The query has parameters that are unknown here.', { errors });
  }
  return sent;
};

export const parseBody = <Body>(event: APIGatewayProxyEventV2, schema: z.ZodType<Body>): Body => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiProblem('payload-too-large', `A body may have up to ${MAX_BODY_BYTES} bytes; this one is larger.`);
  }
  const type = event.headers['content-type'];
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type.trim())) {
    throw new ApiProblem('unsupported-media-type', 'Send the body as JSON, with "Content-Type: application/json".');
  }
  const parsed = schema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  throw new ApiProblem('invalid-request', 'The body is not as expected; `errors` says where.', {
    errors: inputErrors(parsed.error),
  });
};

const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) throw new ApiProblem('invalid-request', 'The body is empty; a JSON object is expected.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiProblem('invalid-request', 'The body is not valid JSON (in UTF-8).');
  }
};

const inputErrors = (error: z.ZodError): InputError[] =>
  error.issues.slice(0, 50).flatMap((issue): InputError[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, 50)
        .map((key) => ({ path: [...issue.path, key].join('.').slice(0, 100), message: 'unknown field' }));
    }
    return [{ path: issue.path.join('.'), message: issue.message }];
  });
