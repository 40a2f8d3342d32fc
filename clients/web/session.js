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
  askForKey(null);
  events.dispatchEvent(new Event('key'));
};

/**
 * Calls a function with the key after each change of it. Returns a function that ends this.
 * @param {(key: string | null) => void} listener
 */
export const onKeyChange = (listener) => listen('key', () => listener(readKey()));

/** @type {string | null} */
let refusal = null;

/** Returns why the service needs another key, or null. */
export const readRefusal = () => refusal;

/**
 * Lets the page ask for a key, for this reason. With null it asks no longer.
 * @param {string | null} reason
 */
export const askForKey = (reason) => {
  if (refusal === reason) return;
  refusal = reason;
  events.dispatchEvent(new Event('refusal'));
};

/**
 * Calls a function after each change of the reason. Returns a function that ends this.
 * @param {() => void} listener
 */
export const onRefusalChange = (listener) => listen('refusal', listener);

/**
 * @param {string} event
 * @param {() => void} listener
 */
const listen = (event, listener) => {
  events.addEventListener(event, listener);
  return () => events.removeEventListener(event, listener);
};
