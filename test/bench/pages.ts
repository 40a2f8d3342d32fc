import { newFolder, nextMessage, startNode } from './children.ts';

/** The pages that both arms audit, and what each is there for. */
export const pages = {
  static: 'a page almost without anything: html5-boilerplate',
  script: '300 formulas set in the browser: KaTeX',
  images: 'a landing page of photographs, with a script that fails: startbootstrap-creative',
  fonts: '60 formulas set on the server, in a dozen web fonts: KaTeX',
  shift: 'a page that moves under its reader, and has other faults',
  app: 'a single-page application: swagger-ui-dist',
  long: 'a document of 500 sections',
  requests: 'a script of a hundred modules: zod, not bundled',
} as const;
export type PageName = keyof typeof pages;
export const pageNames = Object.keys(pages) as PageName[];

/** Serves them from a process of its own, and `small`, which the figures of the service itself are of. */
export const startPages = async () => {
  const server = startNode(['test/bench/site-server.ts'], { folder: newFolder(), ipc: true });
  const { url } = await nextMessage<{ url: string }>(server);
  return { url: (name: PageName | 'small') => `${url}/${name}/`, [Symbol.asyncDispose]: server.end };
};
export type Pages = Awaited<ReturnType<typeof startPages>>;
