// @ts-check

/** The API key lives as long as its tab. It is in no URL and in no other storage. */
const name = 'page-audit-key';
const events = new EventTarget();

/** Returns the API key of this tab, or null. */
export const readKey = () => sessionStorage.getItem(name);

/** @param {string | null} key */
export const saveKey = (key) => {
  if (key === null) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, key);
  events.dispatchEvent(new Event('change'));
};

/**
 * Calls a function after each change of the key. Returns a function that ends this.
 * @param {() => void} listener
 */
export const onKeyChange = (listener) => {
  events.addEventListener('change', listener);
  return () => events.removeEventListener('change', listener);
};
