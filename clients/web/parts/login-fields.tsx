import { useRef } from 'preact/hooks';
import { Field, type InputAttributes } from './field.tsx';

/** Inputs that have an error of their own here. */
export const secretFields = ['headers', 'basicAuth', 'cookies', 'storageState'];

/** Keeps a browser from storing a value. */
const unstored = { autocomplete: 'off', spellcheck: false } as const;

type Props = {
  messageOf: (field: string) => string | undefined;
  /** Says how long the service keeps them. */
  life: string;
};

/** The inputs for pages behind a login. The values are in the fields only, and never in a storage of the browser. */
export const LoginFields = ({ messageOf, life }: Props) => (
  <details open={secretFields.some(messageOf)}>
    <summary>
      Behind a login: <span class="muted">headers, password, cookies, storage state</span>
    </summary>
    <p class="muted">The service gives them to the page's own site only, {life}, and never shows them again.</p>
    <Field
      name="headers"
      label="Headers"
      message={messageOf('headers')}
      help="One on each line, for example x-preview-token: abc. Only the origin of the URL gets them."
    >
      {(input) => <textarea name="headers" rows={2} {...unstored} {...input} />}
    </Field>
    <div class="row">
      <Field name="basicAuth" label="User name" message={messageOf('basicAuth')}>
        {(input) => <input name="basicAuth.username" {...unstored} {...input} />}
      </Field>
      <Field name="basicAuth-password" label="Password">
        {(input) => <input type="password" name="basicAuth.password" autocomplete="new-password" {...input} />}
      </Field>
    </div>
    <Field
      name="cookies"
      label="Cookies (JSON)"
      message={messageOf('cookies')}
      help="A list as Playwright writes it. Cookies of other sites are left out."
    >
      {(input) => <textarea name="cookies" rows={2} {...unstored} {...input} />}
    </Field>
    <Field
      name="storageState"
      label="Storage state (JSON)"
      message={messageOf('storageState')}
      help="The file that Playwright's context.storageState() writes. Choose it, or paste its text. Other sites are left out."
    >
      {(input) => <StateField input={input} />}
    </Field>
  </details>
);

/** A text field, and a button that fills it from a file. */
const StateField = ({ input }: { input: InputAttributes }) => {
  const text = useRef<HTMLTextAreaElement>(null);
  const fill = async (file: File | undefined) => {
    if (file && text.current) text.current.value = await file.text();
  };
  return (
    <>
      <input
        type="file"
        accept=".json,application/json"
        aria-label="File of the storage state"
        onChange={(event) => fill(event.currentTarget.files?.[0])}
      />
      <textarea ref={text} name="storageState" rows={2} {...unstored} {...input} />
    </>
  );
};
