import { useState } from 'preact/hooks';
import { Field } from './field.tsx';

type Props = { name: string; label: string; text: string };

/** A text with a button that copies it. */
export const CopiedText = ({ name, label, text }: Props) => {
  const [copied, setCopied] = useState(false);
  // Pages without TLS have no clipboard, but the field can be selected.
  const copy = () => navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <div class="row">
      <Field name={name} label={label} class="grow">
        {(input) => <input readonly value={text} onFocus={(event) => event.currentTarget.select()} {...input} />}
      </Field>
      <button type="button" onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
};
