import { useRef, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { plainOptionNames } from '../../../shared/options/audit-options.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import type { CheckSummary } from '../../../shared/summaries.ts';
import { auditFacts, labelTexts } from '../../words/facts.ts';
import { ago } from '../../words/times.ts';
import { useAction, useLoaded, useNow } from '../requests/loading.ts';
import { createCheck, newIdempotencyKey } from '../requests/requests.ts';
import { navigate } from '../router.ts';
import { Facts } from '../ui/facts.tsx';
import { Pending, ProblemNote } from '../ui/problem.tsx';
import { ShareLink } from './share-link.tsx';

/** Inputs of a check that its answer repeats. */
const inputs = ['url', 'auditVersion', 'regions', ...plainOptionNames] as const;

/** Actions on a check. One panel is open at a time. */
export const CheckActions = ({ check }: { check: CheckView }) => {
  const [panel, setPanel] = useState('');
  const key = useRef(newIdempotencyKey());
  const toggle = (name: string) => setPanel(panel === name ? '' : name);
  const { error, run } = useAction(async () => {
    const sent = Object.fromEntries(
      inputs.filter((name) => check[name] !== undefined).map((name) => [name, check[name]]),
    );
    const { id } = await createCheck(sent, key.current);
    navigate(`/checks/${id}`);
  });
  const again = () => run();
  const hasSecrets = secretNames.some((name) => check[name] !== undefined);
  const series = new URLSearchParams({ url: check.url, device: check.device ?? 'mobile' });
  return (
    <>
      <div class="actions">
        <a class="button" href={`/pages?${series}`}>
          Over time
        </a>
        <button type="button" aria-expanded={panel === 'share'} onClick={() => toggle('share')}>
          Share
        </button>
        {hasSecrets ? (
          <span class="muted">
            To audit it again, enter its headers, password, cookies or storage state in the form.
          </span>
        ) : (
          <button type="button" onClick={again}>
            Audit again
          </button>
        )}
        <button type="button" aria-expanded={panel === 'compare'} onClick={() => toggle('compare')}>
          Compare with …
        </button>
      </div>
      {error && (
        <div class="wide">
          <ProblemNote error={error} reload={again} action />
        </div>
      )}
      {panel === 'share' && (
        <div class="wide">
          <ShareLink checkId={check.id} />
        </div>
      )}
      {panel === 'compare' && (
        <div class="wide">
          <Others check={check} />
        </div>
      )}
    </>
  );
};

const Others = ({ check }: { check: CheckView }) => {
  const now = useNow(30_000);
  const loaded = useLoaded<{ checks: CheckSummary[] }>(
    `/v1/checks?${new URLSearchParams({ limit: '20', url: check.url })}`,
  );
  if (!loaded.data) return <Pending {...loaded} rows={3} />;
  const others = loaded.data.checks.filter(({ id }) => id !== check.id);
  if (others.length === 0) return <p class="panel">There is no other check of this URL. Audit it again to compare.</p>;
  return (
    <div class="panel">
      <h2>Compare with an earlier or later check of this URL</h2>
      <ul>
        {others.map((other) => {
          const [base, head] = other.createdAt < check.createdAt ? [other, check] : [check, other];
          const facts = [...auditFacts(other), ...labelTexts(other), other.state];
          return (
            <li key={other.id}>
              <a href={`/comparisons/${base.id}...${head.id}`}>{ago(other.createdAt, now)}</a>{' '}
              <span class="muted">
                <Facts facts={facts} />
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
};
