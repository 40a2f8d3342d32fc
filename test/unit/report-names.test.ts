import { expect, test } from 'vitest';
import { reportNames } from '../../clients/cli/formats/report-names.ts';

const run = (url: string, region = 'us-west1', device?: string) => ({ url, region, device });

test('each run has a file with its page, device and region in the name', () => {
  const runs = [run('https://a.example/shop/?q=1'), run('http://localhost:3000/', 'us-east4', 'desktop')];
  expect(reportNames('out/{url}-{device}-{region}.html', runs)).toEqual([
    'out/a.example_shop_q_1-mobile-us-west1.html',
    'out/localhost_3000-desktop-us-east4.html',
  ]);
});

test('pages whose names differ in a sign only have a hash', () => {
  const names = reportNames('{url}.html', [run('https://a.example/b'), run('https://a.example/?b')]);
  expect(names).toEqual([expect.stringMatching(/^a.example_b-\w{8}.html$/), expect.stringMatching(/^a.example_b-/)]);
  expect(new Set(names).size).toBe(2);
});

test('a name never leaves its folder', () => {
  const [name] = reportNames('out/{region}{url}.html', [run('https://a.example/../../etc', '../../root')]);
  expect(name).toBe('out/__.._roota.example_.._.._etc.html');
});

test.each([
  ['report.html', [run('https://a.example/'), run('https://b.example/')], 'report-{url}.html'],
  ['r.html', [run('https://a.example/'), run('https://a.example/', 'us-east4', 'desktop')], 'r-{region}-{device}.html'],
  ['{url}.html', [run('https://a.example/'), run('https://a.example/', 'us-east4')], '{url}-{region}.html'],
  ['{url}.html', [run('https://a.example/'), run('https://a.example/')], 'Name each page once.'],
])('%s for several runs is refused with a better name', (template, runs, advice) => {
  expect(() => reportNames(template, runs)).toThrow(`2 runs would overwrite ${template}.`);
  expect(() => reportNames(template, runs)).toThrow(advice);
});

test('each third party has a file of its own, also if two names differ in a sign only', () => {
  const runs = ['a b', 'a_b', 'all'].map((party) => ({ ...run('https://a.example/'), party }));
  expect(new Set(reportNames('{party}.html', runs)).size).toBe(3);
  expect(() => reportNames('r.html', runs)).toThrow('r-{party}.html');
});

test('an unknown placeholder is refused', () => {
  expect(() => reportNames('{party}.html', [run('https://a.example/')])).toThrow('{party}.html has {party}. Use {url}');
  expect(() => reportNames('{urls}.html', [run('https://a.example/')])).toThrow('Use {url}, {region} or {device}.');
});
