import { expect, test } from 'vitest';
import { withLighthouseFlags } from '../../clients/cli/lighthouserc/lighthouse-flags.ts';

const url = 'https://example.com/?a=b';

test.each([
  [[url], ['run', url]],
  [
    [url, '--preset', 'desktop', '-n', '5'],
    ['run', url, '--device', 'desktop', '--samples', '5'],
  ],
  [
    ['run', url, '--form-factor=desktop', '--only-categories=seo,performance'],
    ['run', url, '--device=desktop', '--category=seo,performance'],
  ],
  [
    ['run', '--', '-n'],
    ['run', '--', '-n'],
  ],
  [
    ['list', '--url', url],
    ['list', '--url', url],
  ],
])('%j is %j', (typed, args) => {
  expect(withLighthouseFlags(typed)).toEqual(args);
});

test.each(['--only-audits', '--skip-audits=a', '--extra-headers', '--chrome-flags=x'])(
  '%s is refused with what to use instead',
  (flag) => {
    expect(() => withLighthouseFlags([url, flag])).toThrow(/is no option of run\. /);
  },
);
