import { expect, test, vi } from 'vitest';
import { ownerHash } from '../../functions/lib/owner-hash.ts';

const key = `pas_0123456789ab_${'f00d'.repeat(16)}`;

test('every log line is redacted: message, fields, errors and their causes', async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'DEBUG');
  vi.stubEnv('POWERTOOLS_DEV', 'true'); // makes the logger use the console
  const lines: string[] = [];
  const levels = ['debug', 'info', 'warn', 'error'] as const;
  for (const level of levels) vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
  const { log } = await import('../../functions/lib/log.ts');
  const url = `https://user:secret1@example.com/path?secret2=${key}#secret3`;
  const error = new Error(`could not load ${url}`, { cause: new Error(`cookie: ${key}`) });
  for (const level of levels) {
    log[level](`asked for ${url}`, { url, error, headers: { authorization: 'secret4', cookie: ['secret5'] } });
    log[level]('a field of its own', { nested: { list: [url] }, apiKey: { value: 'secret6' } });
  }
  log.appendKeys({ url });
  log.info('and with keys of every line', { owner: 'acme' });
  expect(lines).toHaveLength(9);
  expect(JSON.parse(lines.at(-1) ?? '').owner).toBe(ownerHash('acme'));
  expect(lines.join('\n')).not.toContain('acme');
  expect(lines.join('\n')).toContain('https://example.com/path?[redacted]');
  expect(lines.join('\n')).not.toMatch(/secret\d|f00d/);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
