import { useEffect, useState } from 'preact/hooks';

/** The API key lives as long as its tab, or in this browser if its user wants that. It is in no URL. */
const name = 'page-audit-key';
const events = new EventTarget();

/** Returns the API key of this tab, else that of the browser, or null. */
export const readKey = () => sessionStorage.getItem(name) ?? localStorage.getItem(name);

/** Keeps a key for the tab, or with `forBrowser` until somebody forgets it. A null forgets the key in both. */
export const saveKey = (key: string | null, { forBrowser = false } = {}) => {
  sessionStorage.removeItem(name);
  localStorage.removeItem(name);
  if (key !== null) (forBrowser ? localStorage : sessionStorage).setItem(name, key);
  askForKey(null);
  events.dispatchEvent(new Event('key'));
};

/** Calls a function with the key after each change of it. Returns a function that ends this. */
export const onKeyChange = (listener: (key: string | null) => void) => listen('key', () => listener(readKey()));

/** Returns the key of this tab, also after it changes. */
export const useKey = () => {
  const [key, setKey] = useState(readKey);
  useEffect(() => onKeyChange(setKey), []);
  return key;
};

let refusal: string | null = null;

/** Returns why the service needs another key, or null. */
export const readRefusal = () => refusal;

/** Lets the page ask for a key, for this reason. With null it asks no longer. */
export const askForKey = (reason: string | null) => {
  if (refusal === reason) return;
  refusal = reason;
  events.dispatchEvent(new Event('refusal'));
};

/** Calls a function after each change of the reason. Returns a function that ends this. */
export const onRefusalChange = (listener: () => void) => listen('refusal', listener);

const listen = (event: string, listener: () => void) => {
  events.addEventListener(event, listener);
  return () => events.removeEventListener(event, listener);
};
