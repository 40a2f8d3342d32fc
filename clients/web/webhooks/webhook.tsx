import { useState } from 'preact/hooks';
import type { Delivery, DeliveryList, RotatedWebhook, Webhook } from '../../../shared/webhooks.ts';
import { ago, localTime } from '../../words/times.ts';
import { useAction, useLoaded, useNow } from '../requests/loading.ts';
import { readBody, send } from '../requests/requests.ts';
import { CopiedText } from '../ui/copied-text.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { Quoted } from '../ui/quoted.tsx';
import { isolated } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';

const REFRESH_SECONDS = 5;

/** Shows a secret once, to copy. */
export const NewSecret = ({ secret, of, until }: { secret: string; of: string; until?: string | undefined }) => {
  return (
    <div class="panel">
      <p>
        <TwoLines>
          The secret of <bdi>{of}</bdi>
        </TwoLines>{' '}
        Copy it now, because nobody can read it again.
      </p>
      <CopiedText name={`secret-of-${of}`} label="Secret" text={secret} />
      {until && <p class="muted">The earlier secret signs too until {localTime(until)}.</p>}
    </div>
  );
};

const reasons = {
  gone: 'its receiver answered with status 410',
  failing: 'all retries of five days failed',
} as const;

/** One webhook: its state, its actions and its deliveries. */
export const WebhookPanel = ({ webhook, reload }: { webhook: Webhook; reload: () => void }) => {
  const { id, url, events, createdAt, failingSince, disabledAt, disabledReason } = webhook;
  const [rotated, setRotated] = useState<RotatedWebhook>();
  const path = `/v1/webhooks/${id}`;
  const heading = `webhook-${id}`;
  const deliveries = useLoaded<DeliveryList>(`${path}/deliveries`, {
    isFinished: (list) => !list.deliveries.some(({ state }) => state === 'pending'),
    refreshSeconds: REFRESH_SECONDS,
  });
  const action = useAction(async (act: () => Promise<unknown>) => {
    await act();
    deliveries.reload();
    reload();
  });
  const post = (to: string) => action.run(() => send(`${path}${to}`, { method: 'POST' }));
  const rotate = () =>
    action.run(async () => setRotated(await readBody<RotatedWebhook>(`${path}/rotate`, { method: 'POST' })));
  const remove = () =>
    confirm(`Delete the webhook ${isolated(url)}?`) && action.run(() => send(path, { method: 'DELETE' }));
  return (
    <section class="panel" aria-labelledby={heading}>
      <div class="head">
        <div class="grow">
          <h2 id={heading}>
            <TwoLines>
              <bdi>{url}</bdi>
            </TwoLines>
          </h2>
          <p class="muted">
            Created {localTime(createdAt)} · {events.join(', ')}
          </p>
        </div>
        <p class="row">
          <button type="button" class="small" onClick={() => post('/test')}>
            Send a test
          </button>
          <button type="button" class="small" onClick={rotate}>
            New secret
          </button>
          <button type="button" class="small" onClick={remove}>
            Delete
          </button>
        </p>
      </div>
      {disabledAt && disabledReason && (
        <p class="note">
          ✗ Disabled since {localTime(disabledAt)}, because {reasons[disabledReason]}. A test that succeeds enables it
          again.
        </p>
      )}
      {!disabledAt && failingSince && <p class="note">⚠ Its deliveries fail since {localTime(failingSince)}.</p>}
      {action.error && <ProblemNote error={action.error} reload={action.retry} action />}
      <div aria-live="polite">
        {rotated && (
          <NewSecret key={rotated.secret} secret={rotated.secret} of={url} until={rotated.earlierSecretUntil} />
        )}
      </div>
      {deliveries.data ? (
        <Deliveries
          of={id}
          list={deliveries.data}
          redeliver={(delivery) => post(`/deliveries/${delivery}/redeliver`)}
        />
      ) : (
        <Pending {...deliveries} rows={2} />
      )}
    </section>
  );
};

type DeliveriesProps = { of: string; list: DeliveryList; redeliver: (id: string) => void };

const Deliveries = ({ of, list: { deliveries }, redeliver }: DeliveriesProps) => {
  const now = useNow(30_000);
  if (deliveries.length === 0) return <p>There are no deliveries in the last 7 days.</p>;
  const heading = `deliveries-of-${of}`;
  return (
    <>
      <h3 id={heading}>Deliveries</h3>
      <DataTable labelled={heading} columns={['Event', 'State', 'Tries', 'Last answer', 'Next try', 'Again']}>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <th scope="row">
              {delivery.checkId ? <a href={`/checks/${delivery.checkId}`}>{delivery.event}</a> : delivery.event}{' '}
              <span class="muted">{ago(delivery.createdAt, now)}</span>
            </th>
            <td>
              <DeliveryState {...delivery} />
            </td>
            <td>{delivery.tries}</td>
            <td>
              <Quoted text={answerOf(delivery)} />
            </td>
            <td>{delivery.nextTryAt ? localTime(delivery.nextTryAt) : '–'}</td>
            <td class="action">
              <button
                type="button"
                class="small"
                aria-label={`Send again: ${delivery.event} of ${localTime(delivery.createdAt)}`}
                disabled={delivery.state === 'pending'}
                onClick={() => redeliver(delivery.id)}
              >
                Send again
              </button>
            </td>
          </tr>
        ))}
      </DataTable>
    </>
  );
};

const DeliveryState = ({ state }: Pick<Delivery, 'state'>) => {
  if (state === 'pending') return <>◐ pending</>;
  return state === 'succeeded' ? <span class="pass">✔ succeeded</span> : <span class="poor">✗ failed</span>;
};

/** Returns the answer of a receiver as text. It may quote anything. */
const answerOf = ({ lastTry }: Delivery): string => {
  if (!lastTry) return '–';
  return [lastTry.status, lastTry.error, lastTry.response].filter((each) => each !== null).join(' · ');
};
