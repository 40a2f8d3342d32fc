import { startFunctions } from './gateway.ts';
import { openPage, startBrowser } from './web-browser.ts';
import { webDir } from './web-dir.ts';
import { startWorld } from './world.ts';

export type Site = Awaited<ReturnType<typeof startSite>>;

/** Starts the engines, the API with the web page, and a browser. The tests of a file share them. */
export const startSite = async (env: Record<string, string> = {}) => {
  const world = await startWorld({ REGIONS: 'us-west1,europe-north1,us-east4', ...env });
  const bucketUrl = world.env.AWS_ENDPOINT_URL_S3 as string;
  process.env.REPORT_ORIGIN = bucketUrl;
  process.env.WEB_DIR = await webDir();
  const api = await startFunctions();
  const browser = await startBrowser();
  return {
    world,
    url: api.url,
    browser,
    bucketUrl,
    /** Opens a path of the page in a new tab. */
    open: (path: string, options: Parameters<typeof openPage>[2] = {}) =>
      openPage(browser, `${api.url}${path}`, options),
    stop: async () => {
      await browser.close();
      await api.close();
      await world.stop();
    },
  };
};
