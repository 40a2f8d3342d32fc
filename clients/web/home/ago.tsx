import { ago, localTime } from '../../words/times.ts';

/** How long ago something was. Its title has the time. */
export const Ago = ({ at, now }: { at: string; now: number }) => (
  <time datetime={at} title={localTime(at)}>
    {ago(at, now)}
  </time>
);
