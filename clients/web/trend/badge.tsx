import { useState } from 'preact/hooks';
import type { Badge } from '../../../shared/badges.ts';
import { useAction } from '../requests/loading.ts';
import { readBody, send } from '../requests/requests.ts';
import { readKey } from '../session/session.ts';
import { CopiedText } from '../ui/copied-text.tsx';
import { ProblemNote } from '../ui/problem.tsx';

/** Makes the badge of a page with the filters of a list. The same filters give the same badge. */
const makeBadge = (filters: URLSearchParams): Promise<Badge> => {
  const { label: _, ...body } = Object.fromEntries(filters);
  const labels = filters.getAll('label').map((label) => label.split(/:(.*)/s, 2));
  return readBody('/v1/badges', { method: 'POST', body: { ...body, labels: Object.fromEntries(labels) } });
};
const revokeBadge = (id: string) => send(`/v1/badges/${id}`, { method: 'DELETE' });

type State = { badge?: Badge; revoked?: boolean };

/** Makes an image with the newest score of a page, for a README. `filters` are those of the trend. */
export const PageBadge = ({ filters }: { filters: URLSearchParams }) => {
  const [{ badge, revoked }, setState] = useState<State>({});
  const action = useAction(async (act: () => Promise<State>) => {
    setState(await act());
  });
  const make = () => action.run(async () => ({ badge: await makeBadge(filters) }));
  const revoke = (id: string) => action.run(() => revokeBadge(id).then(() => ({ revoked: true })));
  return (
    <>
      <p>
        An image with the newest performance score of this page, device, region and label.{' '}
        {readKey() === null
          ? 'This service has no API keys. So the image shows on the machine of the service only.'
          : 'Anyone with its address can see the score, and nothing else.'}{' '}
        It works until you revoke it.
      </p>
      {!badge && (
        <button type="button" onClick={make}>
          Show the badge
        </button>
      )}
      {action.error && <ProblemNote error={action.error} reload={action.retry} action />}
      <div aria-live="polite">
        {badge && (
          <>
            <p>
              <img src={badge.links.svg} alt="The badge" height={20} />
            </p>
            <CopiedText key={badge.id} name="badge-markdown" label="Markdown" text={badge.markdown} />
            <button type="button" onClick={() => revoke(badge.id)}>
              Revoke the badge
            </button>
          </>
        )}
        {revoked && <p>The badge is revoked. Within five minutes, it shows no score any more.</p>}
      </div>
    </>
  );
};
