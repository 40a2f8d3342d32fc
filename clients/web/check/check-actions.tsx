import { useRef, useState } from 'preact/hooks';
import type { CheckView } from '../../../shared/check.ts';
import type { Device } from '../../../shared/options/audit-options.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import { useAction } from '../requests/loading.ts';
import { createCheck, newIdempotencyKey } from '../requests/requests.ts';
import { navigate } from '../router.ts';
import { eraseLater } from '../session/erasures.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { inputsOfCheck } from './repeated-inputs.ts';

/** Panels that a button opens. */
const panels = {
  compare: onDemand(() => import('./other-checks.tsx').then((module) => module.OtherChecks)),
  tell: onDemand(() => import('./tell-me.tsx').then((module) => module.TellMe)),
  share: onDemand(() => import('./share-link.tsx').then((module) => module.ShareLink)),
};

/** Actions on a check. One panel is open at a time. */
export const CheckActions = ({ check }: { check: CheckView }) => {
  const [panel, setPanel] = useState<keyof typeof panels>();
  const toggle = (name: keyof typeof panels) => setPanel(panel === name ? undefined : name);
  const keys = useRef<Record<Device, string>>({ mobile: newIdempotencyKey(), desktop: newIdempotencyKey() });
  const { error, busy, run, retry } = useAction(async (device: Device) => {
    const { id } = await createCheck({ ...inputsOfCheck(check), device }, keys.current[device]);
    navigate(`/checks/${id}`);
  });
  const { device = 'mobile' } = check;
  const other = device === 'mobile' ? 'desktop' : 'mobile';
  const erase = () => {
    eraseLater(check);
    navigate('/');
  };
  const hasSecrets = secretNames.some((name) => check[name] !== undefined);
  const isUploaded = check.source === 'uploaded'; // the service may not reach its page
  const series = new URLSearchParams({ url: check.url, device });
  const panelButton = (name: keyof typeof panels, text: string) => (
    <button type="button" aria-expanded={panel === name} onClick={() => toggle(name)}>
      {text}
    </button>
  );
  const Panel = panel && panels[panel];
  return (
    <>
      <div class="actions">
        <a class="button" href={`/pages?${series}`}>
          Over time
        </a>
        {panelButton('compare', 'Compare with …')}
        {!hasSecrets && !isUploaded && (
          <>
            <button type="button" disabled={busy} onClick={() => run(device)}>
              Audit again
            </button>
            <button type="button" disabled={busy} onClick={() => run(other)}>
              Audit on {other}
            </button>
          </>
        )}
        {!isUploaded && (
          <a class="button" href={`/?again=${check.id}`}>
            Audit with a change …
          </a>
        )}
        {panelButton('tell', 'Tell me when it gets worse')}
        {panelButton('share', 'Share')}
        <button type="button" onClick={erase}>
          Delete
        </button>
      </div>
      {error && (
        <div class="wide">
          <ProblemNote error={error} reload={retry} action />
        </div>
      )}
      {Panel && (
        <div class="wide">
          <Panel check={check} />
        </div>
      )}
    </>
  );
};
