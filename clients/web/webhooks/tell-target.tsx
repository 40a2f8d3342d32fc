import { useState } from 'preact/hooks';
import { webhookFormats } from '../../../shared/webhook-events.ts';
import type { Webhook } from '../../../shared/webhooks.ts';
import { Field } from '../ui/field.tsx';
import { Pending } from '../ui/problem.tsx';
import { TELL_URL, TOLD, useTold } from './tell.ts';

/** The input for who learns that a page got worse: a webhook that learns it already, or the address of a new one. */
export const TellTarget = ({ message }: { message: string | undefined }) => {
  const { told, error, reload } = useTold();
  const [chosen, setChosen] = useState<string>();
  if (!told) return <Pending error={error} reload={reload} rows={1} />;
  const first = chosen ?? told[0]?.id ?? '';
  return (
    <>
      {told.length > 0 && (
        <Field name={TOLD} label="Tell" class="grow">
          {(input) => (
            <select name={TOLD} {...input} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {told.map((webhook) => (
                <option key={webhook.id} value={webhook.id} selected={webhook.id === first}>
                  {nameOf(webhook)}
                </option>
              ))}
              <option value="">another address</option>
            </select>
          )}
        </Field>
      )}
      {first === '' && (
        <Field
          name={TELL_URL}
          label="Webhook address of a channel in Slack, Teams or Discord, or of your server"
          message={message}
          class="grow"
        >
          {(input) => (
            <input
              ref={focus}
              type="text"
              inputmode="url"
              name={TELL_URL}
              placeholder="https://hooks.slack.com/services/…"
              autocomplete="off"
              spellcheck={false}
              {...input}
            />
          )}
        </Field>
      )}
    </>
  );
};

/** The reader has just asked for the input. */
const focus = (input: HTMLInputElement | null) => input?.focus();

const nameOf = ({ url, format }: Webhook): string => `${webhookFormats[format]}, ${URL.parse(url)?.host ?? url}`;
