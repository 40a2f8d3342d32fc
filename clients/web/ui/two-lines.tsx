import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useOverflow } from './overflow.ts';

/** A text with a URL, in at most two lines. A button shows the rest of a longer one, by keyboard and by touch. */
export const TwoLines = ({ children }: { children: ComponentChildren }) => {
  const [box, isCut] = useOverflow<HTMLSpanElement>('Height');
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <span ref={box} class={isWhole ? 'lines' : 'lines two-lines'}>
        {children}
      </span>
      {(isCut || isWhole) && (
        <button type="button" class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Shorten the URL' : 'Whole URL'}
        </button>
      )}
    </>
  );
};
