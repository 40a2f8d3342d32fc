import type { CheckView } from '../../../shared/check.ts';
import { isFinished } from '../../../shared/states.ts';
import { auditFacts, labelTexts } from '../../words/facts.ts';
import { gradeOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { useLive } from '../requests/loading.ts';
import { missingOr, shareTokenOf } from '../session/share.ts';
import { Announcer } from '../ui/announcer.tsx';
import { Facts } from '../ui/facts.tsx';
import { usePlaces } from '../ui/places.ts';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { isolated, type TabState, useTitle } from '../ui/title.ts';
import { TwoLines } from '../ui/two-lines.tsx';
import { CheckActions } from './check-actions.tsx';
import { Results } from './results.tsx';

const missing =
  'There is no such check. It was erased or has expired, it belongs to another API key, or the address is wrong.';
const erased = 'The check was erased while you looked at it. What you see below is no longer stored.';

/** Returns the title and the state of the tab: the lowest performance score of a finished check. */
const tabOf = (check: CheckView): [string, TabState?] => {
  if (!isFinished(check.state)) return [`◐ ${isolated(check.url)}`, 'running'];
  const scores = check.runs.flatMap(({ performance }) => performance ?? []);
  if (scores.length === 0) return [`✗ ${isolated(check.url)}`, check.state === 'failed' ? 'poor' : 'unknown'];
  const lowest = Math.min(...scores);
  return [`${lowest} ${isolated(check.url)}`, gradeOf('performance', lowest, check.device ?? 'mobile')];
};

/** One check, live. */
export const CheckPage = ({ checkId }: { checkId: string }) => {
  const { data: check, error, reload } = useLive<CheckView>(`/v1/checks/${checkId}`);
  const [title, state] = check ? tabOf(check) : ['Check'];
  useTitle(title, state);
  usePlaces(); // together with the check, so that a place moves nothing
  if (!check) {
    return (
      <>
        <h1>Check</h1>
        <Pending error={error} reload={reload} missing={missingOr(missing, checkId)} rows={12} />
      </>
    );
  }
  return (
    <>
      {error && <ProblemNote error={error} reload={reload} missing={erased} />}
      <CheckHead check={check} />
      <Announcer runs={check.runs} />
      <Results check={check} />
    </>
  );
};

const CheckHead = ({ check }: { check: CheckView }) => {
  const source = check.source === 'uploaded' ? ['uploaded, not measured here'] : [];
  const facts = [...auditFacts(check), ...source, ...labelTexts(check), localTime(check.createdAt)];
  return (
    <div class="head">
      <div class="grow">
        <h1>
          <TwoLines>
            <a href={check.url} rel="noreferrer nofollow">
              <bdi>{check.url}</bdi>
            </a>
          </TwoLines>
        </h1>
        <p class="muted">
          <Facts facts={facts} />
        </p>
      </div>
      {shareTokenOf(check.id) ? <p class="muted">A shared check, to read only</p> : <CheckActions check={check} />}
    </div>
  );
};
