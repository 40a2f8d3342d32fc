import { expect, test } from 'vitest';
import {
  deriveCheckId,
  deriveRunIds,
  fingerprintOf,
  parseIdempotencyKey,
  replyToRepeat,
} from '../../functions/lib/http/idempotency.ts';
import type { StoredCheck } from '../../functions/lib/store/find-check.ts';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import type { CreateCheckBody } from '../../shared/check.ts';
import { presets } from '../../shared/options/throttling.ts';
import type { ApiProblemError } from '../../shared/problems.ts';

const body: CreateCheckBody = { url: 'https://example.com/', auditVersion: '12', regions: ['us-west1', 'us-east4'] };

test('the fingerprint depends on the values of a body and not on the order of its fields', () => {
  const { url, ...others } = body;
  expect(fingerprintOf({ ...others, url })).toBe(fingerprintOf(body));
  const different: Partial<CreateCheckBody>[] = [
    { url: 'https://example.com' },
    { auditVersion: '12.8.2' },
    { regions: ['us-east4', 'us-west1'] },
    { device: 'mobile' },
    { samples: 1 },
    { categories: ['seo'] },
    { labels: { branch: 'main' } },
    { labels: {} },
    { assertions: { 'image-alt': 'warn' } },
    { assertions: { 'image-alt': ['warn', { minScore: 1 }] } },
    { throttling: 'none' },
    { blockedUrlPatterns: ['*.js'] },
    { blockedUrlPatterns: ['*.css'] },
    { simulations: ['3g'] },
    { simulations: ['3g', 'region'] },
    { throttling: presets.mobile },
    { throttling: presets.desktop },
  ];
  const fingerprints = different.map((change) => fingerprintOf({ ...body, ...change }));
  expect(new Set([fingerprintOf(body), ...fingerprints]).size).toBe(different.length + 1);
});

test('derived ids repeat for the same create and differ by owner, key, region and fingerprint', () => {
  const id = deriveCheckId('acme', 'k');
  expect(deriveCheckId('acme', 'k')).toBe(id);
  expect(new Set([id, deriveCheckId('acme', 'l'), deriveCheckId('umbrella', 'k')]).size).toBe(3);
  const runIds = deriveRunIds(id, ['us-west1', 'us-east4'], 'f');
  expect(deriveRunIds(id, ['us-west1', 'us-east4'], 'f')).toEqual(runIds);
  expect(new Set([...runIds, ...deriveRunIds(id, ['us-west1', 'us-east4'], 'g')]).size).toBe(4);
});

test.each(['', 'x'.repeat(256), 'ü', 'a\tb'])('the Idempotency-Key %j is refused', (key) => {
  expect(() => parseIdempotencyKey({ 'idempotency-key': key })).toThrow('1 to 255 printable ASCII');
});

test('an Idempotency-Key of 255 printable characters is accepted, and none is none', () => {
  expect(parseIdempotencyKey({ 'idempotency-key': '~'.repeat(255) })).toBe('~'.repeat(255));
  expect(parseIdempotencyKey({})).toBeUndefined();
});

test('a repeat of an erased check asks the client to retry later', () => {
  expect(() => replyToRepeat('erased', body)).toThrow(
    expect.objectContaining({ code: 'being-erased', headers: { 'retry-after': '60' } }),
  );
});

test('a repeat may name the same audit version differently, and no other version', () => {
  const repeats = (stored: string, as: AuditVersion, sent: string) => {
    const item = { id: 'i', auditVersion: as, fingerprint: fingerprintOf({ ...body, auditVersion: stored }) };
    const earlier = { item, runs: [] } as unknown as StoredCheck;
    try {
      return replyToRepeat(earlier, { ...body, auditVersion: sent }).status;
    } catch (error) {
      return (error as ApiProblemError).code;
    }
  };
  const [newest, older] = ['13.5.0', '12.8.2'] as const;
  for (const stored of [newest, '13', 'latest']) {
    for (const sent of [newest, '13', 'latest']) expect(repeats(stored, newest, sent), `${stored}, ${sent}`).toBe(200);
    for (const sent of [older, '12']) expect(repeats(stored, newest, sent)).toBe('idempotency-mismatch');
  }
  // A deploy between the two creates has moved the name to a newer version.
  expect(repeats('latest', older, 'latest')).toBe(200);
  expect(repeats(older, older, 'latest')).toBe('idempotency-mismatch');
});
