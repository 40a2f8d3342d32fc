import { useRef, useState } from 'preact/hooks';
import { Field, type InputAttributes } from '../ui/field.tsx';

/** Inputs that have an error of their own here. */
export const secretFields = ['headers', 'basicAuth', 'cookies', 'storageState', 'secretTexts'];

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
      Behind a login: <span class="muted">headers, password, cookies, storage state, texts to type</span>
    </summary>
    <p class="muted">The service gives them to the page's own site only, {life}, and never shows them again.</p>
    <Field
      name="headers"
      label="Headers"
      message={messageOf('headers')}
      help="One on each line, for example x-preview-token: abc. Only the origin of the URL gets them. Cookie: a=b becomes cookies of its host."
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
      label="Cookies"
      message={messageOf('cookies')}
      help="A JSON list of an extension or a test tool, a cookies.txt, or the text of a Cookie header. Choose the file, or paste its text. Other sites are left out."
    >
      {(input) => <FileField name="cookies" label="File of cookies" accept=".json,.txt" input={input} />}
    </Field>
    <Field
      name="storageState"
      label="Storage state (JSON)"
      message={messageOf('storageState')}
      help="The file that Playwright's context.storageState() writes. Choose it, or paste its text. Other sites are left out."
    >
      {(input) => (
        <FileField
          name="storageState"
          label="File of the storage state"
          accept=".json"
          input={input}
          notesOn={notesOnState}
        />
      )}
    </Field>
    <Field
      name="secretTexts"
      label="Secret texts"
      message={messageOf('secretTexts')}
      help='One on each line, for example password: abc. A step of an interaction types it: { "type": "#password", "text": { "secret": "password" } }'
    >
      {(input) => <textarea name="secretTexts" rows={2} {...unstored} {...input} />}
    </Field>
  </details>
);

const notesOnState = (text: string) =>
  import('../../login/storage-state.ts').then(({ storageStateFrom }) => storageStateFrom(text).notes);

type FileProps = {
  name: string;
  label: string;
  accept: string;
  input: InputAttributes;
  /** Returns what of a text no audit can use. */
  notesOn?: (text: string) => Promise<string[]>;
};

/** A text field, and a button that fills it from a file. */
const FileField = ({ name, label, accept, input, notesOn }: FileProps) => {
  const text = useRef<HTMLTextAreaElement>(null);
  const [notes, setNotes] = useState<string[]>([]);
  const read = async (value: string) => {
    try {
      setNotes((await notesOn?.(value)) ?? []);
    } catch {
      setNotes([]); // the form names the fault when it is sent
    }
  };
  const fill = async (file: File | undefined) => {
    if (!file || !text.current) return;
    text.current.value = await file.text();
    await read(text.current.value);
  };
  return (
    <>
      <input
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => fill(event.currentTarget.files?.[0])}
      />
      <textarea
        ref={text}
        name={name}
        rows={2}
        onChange={(event) => read(event.currentTarget.value)}
        {...unstored}
        {...input}
      />
      {notes.map((note) => (
        <p class="muted" key={note}>
          {note}
        </p>
      ))}
    </>
  );
};
