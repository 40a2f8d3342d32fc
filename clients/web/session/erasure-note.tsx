import { navigate } from '../router.ts';
import { ProblemNote } from '../ui/problem.tsx';
import { type Erasure, eraseNow, forgetErasure, UNDO_MS, undoErasure, useErasure } from './erasures.ts';

/** Says that a check is being erased, and offers to keep it. Nothing if the tab erases none. */
export const ErasureNote = () => {
  const erasure = useErasure();
  const undo = () => {
    const checkId = undoErasure();
    if (checkId) navigate(`/checks/${checkId}`);
  };
  return (
    <div class="chosen erasure" role="status">
      {erasure && (
        <div class="panel row">
          <p class="grow">
            {texts[erasure.state]} <bdi class="muted">{erasure.url}</bdi>
            {erasure.error && <ProblemNote error={erasure.error} reload={eraseNow} action />}
          </p>
          {erasure.state === 'waiting' ? (
            <button type="button" onClick={undo}>
              Undo
            </button>
          ) : (
            <button type="button" onClick={forgetErasure}>
              Close
            </button>
          )}
        </div>
      )}
    </div>
  );
};

const texts: Record<Erasure['state'], string> = {
  waiting: `The check will be erased in ${UNDO_MS / 1000} seconds, or when you leave.`,
  sent: 'The check is being erased.',
  done: 'The check is erased.',
  failed: 'The check is not erased.',
};
