import { beforeEach, expect, test, vi } from 'vitest';
import { keepShareToken, withShareToken } from '../../clients/web/session/share.ts';

const id = '71cce6bf-0000-4000-8000-000000000000';
const other = '71cce6bf-0000-4000-8000-000000000001';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  });
  keepShareToken(id, '#share=pas_share_1');
});

test.each([
  '',
  '/comparison',
  `/runs/${id}`,
  `/runs/${id}/report`,
  `/runs/${id}/fixes`,
  `/runs/${id}/screenshot`,
  `/runs/${id}/filmstrip`,
])('the token of a share link is sent to %s of its check', (path) => {
  expect(withShareToken(`/v1/checks/${id}${path}`)).toBe(`/v1/checks/${id}${path}?share=pas_share_1`);
});

test('the token of a share link is sent to the report of the second variant', () => {
  const path = `/v1/checks/${id}/runs/${id}/report?variant=against`;
  expect(withShareToken(path)).toBe(`${path}&share=pas_share_1`);
});

test.each([
  '/v1/checks',
  `/v1/checks?url=/v1/checks/${id}`,
  `/v1/checks/${id}/comparison?base=${other}`,
  `/v1/checks/${other}/comparison?base=${id}`,
  `/v1/checks/${id}/links`,
  `/v1/checks/${other}`,
  `/v1/checks/${other}/runs/${id}`,
  `/v1/audit/runs/${id}`,
  '/v1/runs?url=https://example.com/',
])('the token of a share link is not sent to %s', (path) => {
  expect(withShareToken(path)).toBe(path);
});
