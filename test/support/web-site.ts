import { startFunctions } from './gateway.ts';
import { startStrippingProxy } from './stripping-proxy.ts';
import { openPage, startBrowser } from './web-browser.ts';
import { webDir } from './web-dir.ts';
import { startWorld } from './world.ts';

export type Site = Awaited<ReturnType<typeof startSite>>;

/**
 * Starts the engines, the API with the web page, and a browser. The tests of a file share them. With a base, a proxy serves
 * the page under this path. The locale is that of the browser.
 */
export const startSite = async (env: Record<string, string> = {}, base = '', locale?: string) => {
  const world = await startWorld({ REGIONS: 'us-west1,europe-north1,us-east4', ...env });
  process.env.WEB_DIR = await webDir();
  if (base !== '') process.env.PUBLIC_URL = `https://tools.example.com${base}`;
  const api = await startFunctions();
  process.env.REPORT_ORIGIN = 'http://in-process'; // the bucket, for which a test can answer
  const proxy = base === '' ? undefined : await startStrippingProxy(api.url, base);
  const url = proxy ? proxy.origin + base : api.url;
  const browser = await startBrowser(locale);
  return {
    world,
    url,
    /** Paths outside of the base that the page has requested. */
    outside: proxy?.outside ?? [],
    browser,
    /** Opens a path of the page in a new tab. */
    open: (path: string, options: Parameters<typeof openPage>[2] = {}) => openPage(browser, `${url}${path}`, options),
    stop: async () => {
      await browser.close();
      await proxy?.close();
      await api.close();
      await world.stop();
    },
  };
};
