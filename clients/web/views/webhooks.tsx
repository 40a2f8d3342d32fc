import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedWebhook, WebhookList } from '../../../shared/webhooks.ts';
import { messageOf } from '../field-messages.ts';
import { useAction, useLoaded } from '../loading.ts';
import { Field } from '../parts/field.tsx';
import { Pending, ProblemNote } from '../parts/problem.tsx';
import { NewSecret, WebhookPanel } from '../parts/webhook.tsx';
import { readBody } from '../requests.ts';
import { useTitle } from '../title.ts';

export const WebhooksPage = () => {
  useTitle('Webhooks');
  const loaded = useLoaded<WebhookList>('/v1/webhooks');
  const [created, setCreated] = useState<CreatedWebhook>();
  return (
    <>
      <h1>Webhooks</h1>
      <p>
        The service sends each finished check to these URLs, as a signed POST that follows{' '}
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>. You can have five.
      </p>
      <NewWebhook
        onCreated={(webhook) => {
          setCreated(webhook);
          loaded.reload();
        }}
      />
      <div aria-live="polite">{created && <NewSecret key={created.id} secret={created.secret} of={created.url} />}</div>
      {loaded.data ? <Webhooks list={loaded.data} reload={loaded.reload} /> : <Pending {...loaded} rows={3} />}
    </>
  );
};

const Webhooks = ({ list: { webhooks }, reload }: { list: WebhookList; reload: () => void }) =>
  webhooks.length === 0 ? (
    <p class="panel">There is no webhook yet. Enter the URL of a receiver above.</p>
  ) : (
    webhooks.map((webhook) => <WebhookPanel key={webhook.id} webhook={webhook} reload={reload} />)
  );

const NewWebhook = ({ onCreated }: { onCreated: (webhook: CreatedWebhook) => void }) => {
  const { error, busy, run, retry } = useAction(async (url: string) => {
    onCreated(
      await readBody<CreatedWebhook>('/v1/webhooks', { method: 'POST', body: { url, events: ['check.completed'] } }),
    );
  });
  const create = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return run(String(new FormData(event.currentTarget).get('webhook-url')));
  };
  const message = messageOf(error?.errors ?? [], 'url');
  return (
    <>
      <form class="panel row" onSubmit={create} noValidate>
        <Field name="webhook-url" label="URL of the receiver" class="grow" message={message}>
          {(input) => <input type="url" name="webhook-url" placeholder="https://" {...input} />}
        </Field>
        <button type="submit" class="primary" disabled={busy}>
          Create a webhook
        </button>
      </form>
      {error && !message && <ProblemNote error={error} reload={retry} action />}
    </>
  );
};
