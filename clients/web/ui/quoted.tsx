import { Fragment } from 'preact';

/** Characters that turn the direction of all text after them. */
const turn = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * A text that may quote a user or a page. It turns the direction of nothing after it. A word that turns the direction is
 * isolated too, so that the words of a sentence keep their order.
 */
export const Quoted = ({ text }: { text: string }) => (
  <bdi>
    {turn.test(text)
      ? text
          .split(/(\s+)/)
          .map((word, i) => (turn.test(word) ? <bdi key={i}>{word}</bdi> : <Fragment key={i}>{word}</Fragment>))
      : text}
  </bdi>
);
