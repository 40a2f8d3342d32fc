import type { Browser, CDPSession, Target } from 'puppeteer-core';
import type { DocumentState, MainFrame } from '../messages.ts';
import { PROBE_TIMEOUT_MS } from '../stop-rules.ts';
import { listened } from './own-time.ts';

/** Closes each popup, because it would use CPU time during the audit. */
export const closePopups = (browser: Browser): void => {
  browser.on('targetcreated', (target) => {
    if (target.type() === 'page' && target.opener()) closePopup(target).catch(() => {}); // the popup may have closed itself
  });
};
const closePopup = async (popup: Target) => (await popup.page())?.close();

/** Returns true if the page runs scripts. An isolated world keeps its own objects even if the page overwrites its built-ins. */
export const canRunScripts = (session: CDPSession): Promise<boolean> => inTime(askPage(session).then(() => true));

/** Returns true if neither an answer nor an error comes in time. */
export const isSilent = async (command: Promise<unknown>): Promise<boolean> =>
  !(await inTime(
    command.then(
      () => true,
      () => true,
    ),
  ));

/** Returns false if an answer is an error, or does not come in time. */
export const inTime = (answer: Promise<boolean>): Promise<boolean> =>
  Promise.race([answer.catch(() => false), listened(PROBE_TIMEOUT_MS).then(() => false)]);

/** Asks the page to run a script. */
export const askPage = (session: CDPSession): Promise<unknown> => evaluateInIsolatedWorld(session, '1');

/**
 * Returns a state of the document that Lighthouse misses. Chromium shows the valid part of malformed XML below an error
 * box. A page may also have removed its own body.
 */
export const documentState = async (session: CDPSession, { mimeType }: MainFrame): Promise<DocumentState> => {
  const isXml = /\bxml\b/.test(mimeType ?? '');
  if (isXml && (await holds(session, 'document.querySelector("parsererror") !== null'))) return 'unparsable';
  return (await holds(session, '!document.body')) ? 'gone' : 'shown';
};

/** Returns true if the page shows a password field. */
export const asksForPassword = (session: CDPSession): Promise<boolean> =>
  holds(session, '[...document.querySelectorAll("input[type=password]")].some((e) => e.getClientRects().length > 0)');

const holds = (session: CDPSession, expression: string): Promise<boolean> =>
  inTime(evaluateInIsolatedWorld(session, expression).then(Boolean));

async function evaluateInIsolatedWorld(session: CDPSession, expression: string): Promise<unknown> {
  const evaluate = await openIsolatedWorld(session);
  return evaluate(expression);
}

/** Returns a function that runs a script in the shown document, beside the scripts of the page, and waits for its promise. */
export async function openIsolatedWorld(session: CDPSession): Promise<(expression: string) => Promise<unknown>> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  return async (expression) => {
    const options = { contextId: executionContextId, awaitPromise: true };
    const { result } = await session.send('Runtime.evaluate', { expression, ...options });
    return result.value;
  };
}
