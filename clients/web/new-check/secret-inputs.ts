import { cookiesFrom } from '../../login/cookies.ts';
import { FaultyLoginError } from '../../login/fault.ts';
import { headersFrom } from '../../login/headers.ts';
import { ownOf } from '../../login/own-site.ts';
import { secretTextsFrom } from '../../login/secret-texts.ts';
import { storageStateFrom } from '../../login/storage-state.ts';

/** Returns the secrets that a form describes. A field with a wrong text is left out, and `secretFaultsOf` names it. */
export const secretInputs = (form: FormData) => {
  const [username, password] = ['basicAuth.username', 'basicAuth.password'].map((name) => textOf(form, name));
  const { headers, cookies, storageState, secretTexts } = secretTextsOf(form).read;
  const sent = [...(headers?.cookies ?? []), ...(cookies ?? [])];
  const { own } = ownOf(
    { storageState, ...(sent.length > 0 || cookies ? { cookies: sent } : {}) },
    textOf(form, 'url'),
    lastTwoLabels,
  );
  return {
    ...(headers && Object.keys(headers.headers).length > 0 && { headers: headers.headers }),
    ...((username || password) && { basicAuth: { username, password } }),
    ...own,
    ...(secretTexts && { secretTexts }),
  };
};

type Fault = { path: string; message: string };

/** Returns the faults of the fields with secrets. A message never has a value of a field. */
export const secretFaultsOf = (form: FormData): Fault[] => secretTextsOf(form).faults;

const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '');

const secretTextsOf = (form: FormData) => {
  const faults: Fault[] = [];
  const read = <T>(path: string, reader: (text: string) => T): T | undefined => {
    const text = textOf(form, path).trim();
    if (text === '') return undefined;
    try {
      return reader(text);
    } catch (error) {
      if (!(error instanceof FaultyLoginError)) throw error;
      faults.push({ path, message: error.message });
      return undefined;
    }
  };
  return {
    read: {
      headers: read('headers', (text) => headersFrom(linesOf(text))),
      cookies: read('cookies', cookiesFrom),
      storageState: read('storageState', (text) => storageStateFrom(text).state),
      secretTexts: read('secretTexts', (text) => secretTextsFrom(linesOf(text))),
    },
    faults,
  };
};

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, i) => ({ text: line, place: `Line ${i + 1}` }))
    .filter((line) => line.text.trim() !== '');

/** Returns the last two labels of a host. The page has no list of public suffixes. The service has, and refuses the rest. */
const lastTwoLabels = (host: string): string => host.split('.').slice(-2).join('.');
