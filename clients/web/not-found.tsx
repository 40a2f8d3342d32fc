import { useTitle } from './ui/title.ts';

export const NotFoundPage = () => {
  useTitle('Not found');
  return (
    <>
      <h1>There is no page at this address</h1>
      <p>
        <code>{location.pathname}</code>
      </p>
      <p>
        Check that the address is complete. <a href="/">Recent checks</a> has what you can open.
      </p>
    </>
  );
};
