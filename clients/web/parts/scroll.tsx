import type { ComponentChildren } from 'preact';

type Props = { label?: string; labelledBy?: string; children: ComponentChildren };

/** A table that may be wider than the window. A keyboard scrolls it when it has the focus. */
export const Scroll = ({ label, labelledBy, children }: Props) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label} aria-labelledby={labelledBy}>
    {children}
  </div>
);
