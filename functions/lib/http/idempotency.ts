import { createHash } from 'node:crypto';
import { v5 as uuidv5 } from 'uuid';
import type { AssertionSet } from '../../../shared/assertions/sets.ts';
import { type AuditVersion, aliasesOf, resolveAuditVersion } from '../../../shared/audit-versions.ts';
import { asCreated } from '../../../shared/check.ts';
import { plainOptionNames } from '../../../shared/options/audit-options.ts';
import { pick } from '../../../shared/pick.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Region } from '../../../shared/regions.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { PlainBody } from './check-body.ts';
import type { Request } from './endpoint.ts';
import type { Reply } from './response.ts';

/** Returns the `Idempotency-Key` header, or undefined if the client sent none. */
export const parseIdempotencyKey = (headers: Request['headers']): string | undefined => {
  const key = headers['idempotency-key'];
  if (key !== undefined && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ApiProblemError('invalid-request', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  return key;
};

/** Body of a create, with the fingerprint of its secrets in place of them. */
export type Comparable = PlainBody & { ofSecrets?: string | undefined };

/** Returns a hash of the parsed body, so that spelling (white space, order of fields) makes no difference. */
export const fingerprintOf = ({
  url,
  auditVersion,
  regions,
  labels,
  assertions,
  ofSecrets,
  ...options
}: Comparable): string => {
  const all = {
    ...options,
    ...(labels && { labels: sorted(labels) }),
    ...(assertions && { assertions: Array.isArray(assertions) ? assertions.map(sortedSet) : sorted(assertions) }),
  };
  return createHash('sha256')
    .update(
      JSON.stringify([url, auditVersion, regions, pick(all, plainOptionNames), ...(ofSecrets ? [ofSecrets] : [])]),
    )
    .digest('hex');
};

const sorted = (map: object) => Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const sortedSet = ({ assertions, ...set }: AssertionSet) =>
  sorted({ ...set, ...(assertions && { assertions: sorted(assertions) }) });

/** UUIDv5 namespace of ids that are derived from idempotency keys. */
const NAMESPACE = '5d0c4b1e-6a0f-4d8e-9c52-0e8f1f6c7a11';

/** Returns the same check id for each create with this owner and key. */
export const deriveCheckId = (owner: string, key: string): string => uuidv5(`${owner}\n${key}`, NAMESPACE);

/**
 * Returns the same run ids for each create of this check with this fingerprint. The fingerprint keeps a create from
 * adopting runs that an interrupted create with other inputs left behind.
 */
export const deriveRunIds = (checkId: string, regions: readonly Region[], fingerprint: string): string[] =>
  regions.map((region) => uuidv5(`${region}\n${fingerprint}`, checkId));

/** Returns the check of an earlier create with the same key. Throws if it was erased, or had another body. */
export const replyToRepeat = (earlier: StoredCheck | 'erased', body: Comparable): Reply =>
  replyToSame(earlier, (check) => hasSameBody(check, body));

/** Does the same for a create whose body only `isSame` can compare. */
export const replyToSame = (earlier: StoredCheck | 'erased', isSame: (check: StoredCheck) => boolean): Reply => {
  if (earlier === 'erased') {
    const detail = 'The check of this Idempotency-Key was erased. Use another key, or retry in a few minutes.';
    throw new ApiProblemError('being-erased', detail, { headers: { 'retry-after': '60' } });
  }
  if (!isSame(earlier)) {
    throw new ApiProblemError(
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

/** Returns true if the earlier create had this body. The names of an audit version, such as `13` and `latest`, are equal. */
const hasSameBody = ({ item }: StoredCheck, body: Comparable): boolean => {
  const { against } = body;
  const bodies = namesOf(body.auditVersion, item.auditVersion).map((auditVersion) => ({ ...body, auditVersion }));
  const withAgainst = (named: Comparable): Comparable[] => {
    if (against?.auditVersion === undefined) return [named];
    const names = namesOf(against.auditVersion, item.against?.auditVersion);
    return names.map((auditVersion) => ({ ...named, against: { ...against, auditVersion } }));
  };
  return bodies.flatMap(withAgainst).some((each) => fingerprintOf(each) === item.fingerprint);
};

/** Returns the names of a version. The name as sent comes first: `latest` may mean another version since a deploy. */
const namesOf = (sent: string, stored: AuditVersion | undefined): string[] =>
  stored !== undefined && resolveAuditVersion(sent) === stored ? [sent, stored, ...aliasesOf(stored)] : [sent];
