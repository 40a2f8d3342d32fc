import type { ComponentChildren } from 'preact';
import { useOverflow } from './overflow.ts';

type Props = { label?: string; labelledBy?: string; children: ComponentChildren };

/** A table that may be wider than the window. Then a keyboard scrolls it when it has the focus. */
export const Scroll = ({ label, labelledBy, children }: Props) => {
  const [box, scrolls] = useOverflow<HTMLDivElement>('Width');
  const focusable = { tabIndex: 0, role: 'region', 'aria-label': label, 'aria-labelledby': labelledBy } as const;
  return (
    <div ref={box} class="scroll" {...(scrolls && focusable)}>
      {children}
    </div>
  );
};
