import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Target } from 'puppeteer-core';
import type { DocumentState, MainFrame } from './messages.ts';
import { PROBE_TIMEOUT_MS } from './stop-rules.ts';

/** Nobody looks at it, and it would take its share of the processor. */
export const closePopup = async (popup: Target) => (await popup.page())?.close();

/** Whether scripts can run in the page. What the page itself has broken does not count: it is asked in a world apart. */
export const canRunScripts = async (session: CDPSession): Promise<boolean> =>
  Promise.race([
    evaluateInIsolatedWorld(session, '1').then(
      () => true,
      () => false,
    ),
    sleep(PROBE_TIMEOUT_MS, false),
  ]);

/**
 * What Lighthouse does not see: Chromium shows a document of XML that can't be parsed as far as it could be, under a box
 * that says so; and a page may have taken its own body away.
 */
export const documentState = async (session: CDPSession, { mimeType }: MainFrame): Promise<DocumentState> => {
  const holds = (expression: string) =>
    Promise.race([
      evaluateInIsolatedWorld(session, expression).then(Boolean, () => false),
      sleep(PROBE_TIMEOUT_MS, false),
    ]);
  if (/\bxml\b/.test(mimeType ?? '') && (await holds('document.querySelector("parsererror") !== null')))
    return 'unparsable';
  return (await holds('!document.body')) ? 'gone' : 'shown';
};

async function evaluateInIsolatedWorld(session: CDPSession, expression: string): Promise<unknown> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const { result } = await session.send('Runtime.evaluate', { expression, contextId: executionContextId });
  return result.value;
}
