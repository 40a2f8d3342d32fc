import { useRef, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import { plainOptionNames } from '../../../shared/options/audit-options.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import { useAction } from '../requests/loading.ts';
import { createCheck, newIdempotencyKey } from '../requests/requests.ts';
import { navigate } from '../router.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { ProblemNote } from '../ui/problem.tsx';

const OtherChecks = onDemand(() => import('./other-checks.tsx').then((module) => module.OtherChecks));
const ShareLink = onDemand(() => import('./share-link.tsx').then((module) => module.ShareLink));

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
          <OtherChecks check={check} />
        </div>
      )}
    </>
  );
};
