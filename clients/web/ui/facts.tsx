import { Fragment } from 'preact';

/** Facts in one line. Each is isolated, because a label or URL may have characters that change the direction of text. */
export const Facts = ({ facts }: { facts: readonly string[] }) => (
  <>
    {facts.map((fact, i) => (
      <Fragment key={i}>
        {i > 0 && ' · '}
        <bdi>{fact}</bdi>
      </Fragment>
    ))}
  </>
);
