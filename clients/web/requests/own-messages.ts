/** Returns a text of the page with parts of a text of the API. */
export const filled = (text: string, parts: readonly (string | undefined)[]): string =>
  text.replace(/\$(\d)/g, (_, i) => (parts[Number(i)] ?? '').replaceAll('`', ''));

/** Texts about a key, as the API writes them and as the page does. */
const keyRows: readonly (readonly [api: RegExp, page: string])[] = [
  [/^This request needs an API key\. /, 'Enter the key that the operator of the service has given you.'],
  [/^The Authorization header must/, 'Enter the key once more, from its first to its last character.'],
  [/^The API key is unknown/, 'The service does not know it. Check that it is a key of this service.'],
  [/^The API key is (\w+)\. /, 'It is $1. Enter another key, or ask the operator for a new one.'],
];

/** Returns why the service refuses a key. */
export const messageOfKey = (message: string): string => {
  const row = keyRows.find(([api]) => api.test(message));
  return row ? filled(row[1], row[0].exec(message) ?? []) : message;
};

/** Returns what a user can do about a number that is used up, or undefined if the user must wait. */
export const messageOfLimit = (message: string): string | undefined => {
  const [, count, noun] = /^An owner can have (\d+) (\w+)\. Delete one/.exec(message) ?? [];
  return noun && `You have ${count} ${noun}, and no more are allowed. Delete one before you create another.`;
};
