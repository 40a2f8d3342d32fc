import { expect, test } from 'vitest';
import { faultsOf } from '../../clients/web/new-check/form-inputs.ts';
import { advice, advisedInputs, nextStep } from '../../clients/words/advice.ts';
import { options } from '../../shared/options/audit-options.ts';
import { loginNames } from '../../shared/options/secrets.ts';

test('a page that leads to a port which browsers refuse has its own next step', () => {
  const code = 'forbidden-target';
  const message = 'The page leads to http://example.com:6000/. Browsers refuse to open its port.';
  expect(nextStep({ code, message })).toContain('80, 443 or 8080');
  expect(nextStep({ code, message: 'The page leads to 10.0.0.1.' })).toContain('Change where the page leads');
});

test('an advice names the inputs of a check that help, and says of none that it does not exist', () => {
  for (const [code, text] of Object.entries(advice)) {
    for (const name of advisedInputs[code as keyof typeof advice] ?? [])
      expect(text, code).toContain(options[name].title.toLowerCase().split(' and ').at(-1));
    expect(text, code).not.toMatch(/can.?not|can't|does not support|impossible/);
  }
  expect(advisedInputs['http-error']).toEqual(loginNames); // a login needs one of them
});

test('names that a form repeats are faults, whatever their case', () => {
  const form = new FormData();
  form.set('url', 'https://example.com/');
  form.set('regions', 'us-west1');
  form.set('device', 'mobile');
  form.set('labels', 'a: 1\n\nA: 2');
  form.set('headers', 'X-Token: 1\nx-token: 2');
  expect(faultsOf(form)).toEqual([
    { path: 'labels', message: 'Line 3 repeats the name a. Give each name once.' },
    { path: 'headers', message: 'The header x-token is given twice. Give it once.' },
  ]);
});

test('a form without a URL and without a region says so in the words of the page', () => {
  expect(faultsOf(new FormData())).toEqual([
    { path: 'url', message: 'Enter the URL of a page, such as https://example.com/.' },
    { path: 'device', message: 'Choose mobile, desktop or both.' },
    { path: 'regions', message: 'Choose at least one region.' },
  ]);
});
