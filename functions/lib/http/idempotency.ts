import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import { asCreated, type CreateCheckBody, optionNames } from '../../../shared/check.ts';
import { pick } from '../../../shared/pick.ts';
import { ApiProblem } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import type { StoredCheck } from '../store/checks.ts';
import type { Request } from './endpoint.ts';
import type { Reply } from './response.ts';

export const parseIdempotencyKey = (headers: Request['headers']): string | undefined => {
  const key = headers['idempotency-key'];
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ApiProblem('invalid-request', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  return key;
};

/** Tells two bodies apart by what they say, not by how it is spelled. */
export const fingerprintOf = ({ url, auditVersion, regions, ...options }: CreateCheckBody): string =>
  createHash('sha256')
    .update(JSON.stringify([url, auditVersion, regions, pick(options, optionNames)]))
    .digest('hex');

const NAMESPACE = '5d0c4b1e-6a0f-4d8e-9c52-0e8f1f6c7a11'; // of our own, for ids derived from idempotency keys

export const deriveCheckId = (owner: string, key: string): string => uuidv5(`${owner}\n${key}`, NAMESPACE);

/** Of the inputs too: what a broken-off create with other inputs left behind is never taken for ours. */
export const deriveRunIds = (checkId: string, regions: readonly Region[], fingerprint: string): string[] =>
  regions.map((region) => uuidv5(`${region}\n${fingerprint}`, checkId));

export const replyToRepeat = (earlier: StoredCheck | 'erased', fingerprint: string): Reply => {
  if (earlier === 'erased') {
    throw new ApiProblem(
      'being-erased',
      'The check of this Idempotency-Key was erased. Use another key, or retry with this one in a few minutes.',
      {
        headers: { 'retry-after': '60' },
      },
    );
  }
  if (earlier.item.fingerprint !== fingerprint) {
    throw new ApiProblem(
      'idempotency-mismatch',
      'This Idempotency-Key was used with another body. Send the same body, or use another key.',
    );
  }
  const { id } = earlier.item;
  return {
    status: 200,
    headers: { location: `/v1/checks/${id}` },
    body: asCreated({ ...earlier.item, runs: earlier.runs }),
  };
};
