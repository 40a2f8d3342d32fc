import { installExtra } from '../support/extra-packages.ts';
import type { BusyPage } from './busy-pages.ts';
import type { ChangeName } from './changed-pages.ts';
import { newFolder, nextMessage, startNode } from './children.ts';
import type { ResizingPageName } from './resizing-pages.ts';

/** The pages that both arms audit, each with its kind. */
export const pages = {
  static: 'an almost empty page: html5-boilerplate',
  script: '300 formulas rendered in the browser: KaTeX',
  images: 'a landing page with photographs and a failing script: startbootstrap-creative',
  fonts: '60 formulas rendered on the server, in a dozen web fonts: KaTeX',
  shift: 'a page with layout shifts and other faults',
  app: 'a single-page application: swagger-ui-dist',
  long: 'a document of 500 sections',
  requests: 'a script of a hundred modules: zod, unbundled',
} as const;
export type PageName = keyof typeof pages;
export const pageNames = Object.keys(pages) as PageName[];

/** Starts the server of the pages in a process of its own. It also serves `small`, the page of the other benchmarks. */
export const startPages = async () => {
  await installExtra('bench');
  const server = startNode(['test/bench/site-server.ts'], { folder: newFolder(), ipc: true });
  const { url } = await nextMessage<{ url: string }>(server);
  return {
    url: (name: PageName | BusyPage | ResizingPageName | 'small') => `${url}/${name}/`,
    changed: (name: ChangeName | 'shop') => `${url}/changed/${name}/`,
    [Symbol.asyncDispose]: server.end,
  };
};
export type Pages = Awaited<ReturnType<typeof startPages>>;
