import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { webhookEventRows, webhookEvents, webhookFormats } from '../../../shared/webhook-events.ts';
import type { CreatedWebhook, WebhookList } from '../../../shared/webhooks.ts';
import { ServiceError } from '../../api/service-error.ts';
import { useAction, useLoaded } from '../requests/loading.ts';
import { messageOf, readBody } from '../requests/requests.ts';
import { Choice } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { useTitle } from '../ui/title.ts';
import { NewSecret, WebhookPanel } from './webhook.tsx';

export const WebhooksPage = () => {
  useTitle('Webhooks');
  const loaded = useLoaded<WebhookList>('/v1/webhooks');
  const [created, setCreated] = useState<CreatedWebhook>();
  return (
    <>
      <h1>Webhooks</h1>
      <p>
        The service sends events to these URLs, each as a signed POST that follows{' '}
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, or as a message to Slack, Teams or Discord.
        You can have five.
      </p>
      <NewWebhook
        onCreated={(webhook) => {
          setCreated(webhook);
          loaded.reload();
        }}
      />
      <div aria-live="polite">
        {created?.format === 'standard' && <NewSecret key={created.id} secret={created.secret} of={created.url} />}
      </div>
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
  const { error, busy, run, retry } = useAction(async (form: FormData) => {
    const events = form.getAll('events').map(String);
    if (events.length === 0) throw new ServiceError('problem', noEvent.message, { status: 400, errors: [noEvent] });
    const body = { url: String(form.get('webhook-url')), events, format: String(form.get('format')) };
    onCreated(await readBody<CreatedWebhook>('/v1/webhooks', { method: 'POST', body }));
  });
  const create = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    return run(new FormData(event.currentTarget));
  };
  const [wrongUrl, wrongEvents, wrongFormat] = ['url', 'events', 'format'].map((field) =>
    messageOf(error?.errors ?? [], field),
  );
  return (
    <>
      <form class="panel" aria-label="New webhook" onSubmit={create} noValidate>
        <Field name="webhook-url" label="URL of the receiver" message={wrongUrl}>
          {(input) => <input type="url" name="webhook-url" placeholder="https://" {...input} />}
        </Field>
        <Choice
          name="format"
          label="Format"
          values={Object.keys(webhookFormats)}
          names={webhookFormats}
          message={wrongFormat}
        />
        <fieldset aria-describedby={wrongEvents ? 'events-error' : undefined}>
          <legend>Send an event when</legend>
          {webhookEvents.map((name) => (
            <label key={name}>
              <input type="checkbox" name="events" value={name} defaultChecked={name === 'check.completed'} />{' '}
              {webhookEventRows[name].title}
            </label>
          ))}
          {wrongEvents && (
            <p id="events-error" class="error" role="alert">
              {wrongEvents}
            </p>
          )}
        </fieldset>
        <p>
          <button type="submit" class="primary" disabled={busy}>
            Create a webhook
          </button>
        </p>
      </form>
      {error && !wrongUrl && !wrongEvents && <ProblemNote error={error} reload={retry} action />}
    </>
  );
};
const noEvent = { path: 'events', message: 'Choose at least one event.' };
