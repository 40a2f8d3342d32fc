import { useEffect, useState } from 'preact/hooks';
import { onDemand } from '../ui/on-demand.tsx';
import { onRefusalChange, readRefusal, saveKey, useKey } from './session.ts';

const KeyForm = onDemand(() => import('./key-form.tsx').then((module) => module.KeyForm));

/** The part of a key that is no secret, and a button that forgets the key. Nothing if the tab has no key. */
export const KeyButton = () => {
  const key = useKey();
  if (key === null) return null;
  return (
    <span class="key">
      Key {key.slice(0, 8)}…
      <button type="button" class="small" onClick={() => saveKey(null)}>
        Forget
      </button>
    </span>
  );
};

/** The one prompt for the API key. Nothing while no request was refused for its key. */
export const KeyPrompt = () => {
  const [reason, setReason] = useState(readRefusal);
  useEffect(() => onRefusalChange(() => setReason(readRefusal())), []);
  return reason === null ? null : <KeyForm reason={reason} />;
};
