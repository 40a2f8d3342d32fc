import { expect, test } from 'vitest';
import { expiryOf, isShareToken, shareToken } from '../../functions/lib/checks/share-token.ts';

const secret = Buffer.from([...Array(32).keys()]).toString('base64url');
const checkId = 'bc5e8280-fb70-4b8a-9d1c-2aef394377d8';
const expiresAt = 1_796_230_167;
const token = shareToken(secret, checkId, expiresAt);

test('a token has a fixed form, so that a link outlives a deploy', () => {
  expect(token).toBe('pas_share_axBMF-qzehsF2lcCYNobwJAg53zfEQsEPKhN87dOccgy--Jh');
  expect(expiryOf(token, secret, checkId)).toBe(expiresAt);
});

test('a token is of one check and one secret', () => {
  expect(expiryOf(token, secret, checkId.replace('b', 'c'))).toBeUndefined();
  expect(expiryOf(token, secret.replace('A', 'B'), checkId)).toBeUndefined();
});

test('a token in which one character differs is refused', () => {
  for (let i = 0; i < token.length; i++) {
    for (const by of ['A', 'B', '-', '.', '']) {
      const changed = token.slice(0, i) + by + token.slice(i + 1);
      if (changed !== token) expect(expiryOf(changed, secret, checkId), changed).toBeUndefined();
    }
  }
});

test.each(['', 'pas_share_', `${token}A`, ` ${token}`, `${token}\n`, token.slice(10), `${token},${token}`])(
  '%j has not the form of a token',
  (text) => {
    expect(isShareToken(text)).toBe(false);
    expect(expiryOf(text, secret, checkId)).toBeUndefined();
  },
);
