import { withScheme } from '../../words/urls.ts';
import { UsageError } from '../exit-codes.ts';

/** Returns why a text is no URL of something. Returns undefined for a URL. */
export const faultOfUrl = (url: string, of: string): string | undefined =>
  /^https?:\/\//i.test(url) ? undefined : `${url} is no URL of ${of}. Use a URL that starts with http:// or https://.`;

/** Returns the URL of a page that a user has typed. It may lack its scheme. */
export const pageUrlFrom = (text: string): string => {
  const url = withScheme(text);
  const fault = faultOfUrl(url, 'a web page');
  if (fault) throw new UsageError(fault);
  return url;
};
