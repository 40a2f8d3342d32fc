import { withScheme } from '../../words/urls.ts';
import { UsageError } from '../exit-codes.ts';

/** Returns why a text is no URL of something, and which URL was probably meant. Returns undefined for a URL. */
export const faultOfUrl = (url: string, of: string): string | undefined => {
  if (/^https?:\/\//i.test(url)) return undefined;
  const right = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? 'a URL that starts with http:// or https://' : withScheme(url);
  return `${url} is no URL of ${of}. Use ${right}.`;
};

export const requireScheme = (url: string): void => {
  const fault = faultOfUrl(url, 'a web page');
  if (fault) throw new UsageError(fault);
};
