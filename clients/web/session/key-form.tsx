import type { TargetedSubmitEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { keyParts } from '../../../shared/service/key-text.ts';
import { messageOfKey } from '../requests/own-messages.ts';
import { failureOf, transportOf } from '../requests/requests.ts';
import { FieldError } from '../ui/field-error.tsx';
import { Quoted } from '../ui/quoted.tsx';
import { saveKey, useKey } from './session.ts';

/** Returns what is wrong with the text of a key. A browser sends no header with other characters. */
export const faultOfKey = (key: string): string | undefined => {
  if (key === '') return 'Enter an API key.';
  const index = [...key].findIndex((each) => !/^[\x21-\x7e]$/.test(each));
  if (index === -1) return keyParts(key) ? undefined : MISTYPED;
  const code = [...key][index]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `Character ${index + 1} of the key (U+${code}) is no letter, digit or sign of a key. Copy the key once more, or type it.`;
};

const MISTYPED =
  'This key is incomplete or mistyped. Copy it whole, from pas_ to its last character, and paste it once more.';

/** Keeps a key that the service does not refuse. Returns why it keeps none. */
const tryKey = async (key: string, options: { forBrowser: boolean }): Promise<string | undefined> => {
  const fault = faultOfKey(key);
  if (fault) return fault;
  try {
    await transportOf(key).send('/v1/checks?limit=1');
  } catch (error) {
    const { kind, message } = failureOf(error);
    if (kind === 'key') return `The service refused this key. ${messageOfKey(message)}`;
    if (kind === 'offline') return message;
  }
  saveKey(key, options); // a key with a scope too few, and one that no fault allows to check, are shown where they fail
};

/** The form for the key. The page says why the service needs another one. */
export const KeyForm = ({ reason }: { reason: string }) => {
  const id = useId();
  const [{ message, busy }, setState] = useState<{ message?: string | undefined; busy?: boolean }>({});
  const hadKey = useKey() !== null;
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const key = String(form.get('key')).trim();
    setState({ busy: true });
    setState({ message: await tryKey(key, { forBrowser: form.has('forBrowser') }) });
  };
  return (
    <section class="panel key-prompt" aria-labelledby={`${id}-title`}>
      <div role="alert">
        <h2 id={`${id}-title`}>{hadKey ? 'The service refused your API key' : 'This service needs an API key'}</h2>
        <p id={`${id}-why`}>
          <Quoted text={messageOfKey(reason)} />
        </p>
      </div>
      <form class="row" onSubmit={submit} novalidate>
        <label class="grow" for="api-key">
          API key
          <input
            id="api-key"
            name="key"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="pas_…"
            aria-invalid={message ? 'true' : undefined}
            aria-describedby={`${message ? `${id}-error ` : ''}${id}-why ${id}-help`}
          />
        </label>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Checking…' : 'Use this key'}
        </button>
        <label class="inline wide">
          <input type="checkbox" name="forBrowser" /> Keep the key in this browser until I forget it
        </label>
        <FieldError id={`${id}-error`} message={message} />
      </form>
      <p id={`${id}-help`} class="muted">
        The operator of the service makes keys with <code>npm run keys -- create</code>. The page sends the key to this
        service only. Without the tick, this tab keeps the key until you close it.
      </p>
    </section>
  );
};
