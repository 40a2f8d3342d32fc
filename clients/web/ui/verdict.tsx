import type { ComponentChildren } from 'preact';
import { verdictSigns } from '../../words/section.ts';

const signs = { ...verdictSigns, different: '≠' } as const;
const colors = { improved: 'pass', regressed: 'poor', same: 'muted', unknown: 'muted', different: '' } as const;

type Props = { verdict: keyof typeof signs; children: ComponentChildren };

/** A verdict with its sign: the form in which all views show a change. */
export const Verdict = ({ verdict, children }: Props) => (
  <span class={colors[verdict]}>
    <span class="sign" aria-hidden="true">
      {signs[verdict]}
    </span>{' '}
    {children}
  </span>
);
