import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { localTime } from '../../words/times.ts';
import { useAction } from '../requests/loading.ts';
import { createShareLink, type Link, revokeShareLinks } from '../requests/requests.ts';
import { readKey } from '../session/session.ts';
import { CopiedText } from '../ui/copied-text.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemNote } from '../ui/problem.tsx';

type State = { link?: Link; revoked?: boolean };

/** Makes a link with which anyone can read a check. */
export const ShareLink = ({ check: { id: checkId } }: { check: Pick<CheckView, 'id'> }) => {
  const [state, setState] = useState<State>({});
  const action = useAction(async (act: () => Promise<State>) => {
    setState({});
    setState(await act());
  });
  const create = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const days = String(new FormData(event.currentTarget).get('days'));
    return action.run(async () => ({ link: await createShareLink(checkId, `${days}d`) }));
  };
  const revoke = () => action.run(() => revokeShareLinks(checkId).then(() => ({ revoked: true })));
  return (
    <div class="panel">
      <h2>Share this check</h2>
      <p>
        {readKey() === null
          ? 'This service has no API keys. So the link opens on the machine of the service only, where everybody can read all checks.'
          : 'Anyone with the link can read this check and its reports.'}{' '}
        The link ends by itself, or when the check is erased.
      </p>
      <form class="row" onSubmit={create}>
        <Field name="days" label="Ends after">
          {(input) => (
            <select name="days" {...input}>
              {[1, 7, 30].map((days) => (
                <option key={days} value={days} selected={days === 7}>
                  {days} {days === 1 ? 'day' : 'days'}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button type="submit" class="primary">
          Make a link
        </button>
        <button type="button" onClick={revoke}>
          Revoke all links
        </button>
      </form>
      {action.error && <ProblemNote error={action.error} reload={action.retry} action />}
      <div aria-live="polite">
        {state.link && <Made key={state.link.url} link={state.link} />}
        {state.revoked && <p>All links of this check are revoked. Nobody can read it with a link any more.</p>}
      </div>
    </div>
  );
};

const Made = ({ link }: { link: Link }) => (
  <>
    <CopiedText name="share-url" label="Link" text={link.url} />
    <p class="muted">Ends on {localTime(link.expiresAt)}.</p>
  </>
);
