import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Target } from 'puppeteer-core';
import type { DocumentState, MainFrame } from './messages.ts';
import { ANSWER_MS } from './stop-rules.ts';

/** Nobody looks at it, and it would take its share of the processor. */
export const closePopup = async (popup: Target) => (await popup.page())?.close();

/** Whether scripts can run in the page. What the page itself has broken does not count: it is asked in a world apart. */
export const canRunScripts = async (asked: CDPSession): Promise<boolean> =>
  Promise.race([
    evaluateInIsolatedWorld(asked, '1').then(
      () => true,
      () => false,
    ),
    sleep(ANSWER_MS, false),
  ]);

/**
 * What Lighthouse does not see: Chromium shows a document of XML that can't be parsed as far as it could be, under a box
 * that says so; and a page may have taken its own body away.
 */
export const documentState = async (asked: CDPSession, { mimeType }: MainFrame): Promise<DocumentState> => {
  const is = (expression: string) =>
    Promise.race([evaluateInIsolatedWorld(asked, expression).then(Boolean, () => false), sleep(ANSWER_MS, false)]);
  if (/\bxml\b/.test(mimeType ?? '') && (await is('document.querySelector("parsererror") !== null')))
    return 'unparsable';
  return (await is('!document.body')) ? 'gone' : 'shown';
};

async function evaluateInIsolatedWorld(asked: CDPSession, expression: string): Promise<unknown> {
  const { frameTree } = await asked.send('Page.getFrameTree');
  const { executionContextId } = await asked.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const { result } = await asked.send('Runtime.evaluate', { expression, contextId: executionContextId });
  return result.value;
}
