import type { TraceEvent } from './trace.ts';

/** Returns the id of the thread of an event. */
export const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;

/** Returns the thread of the last document of the main frame. Without a navigation, this is the first thread. */
export const mainThreadOf = (events: readonly TraceEvent[]): string | undefined => {
  const navigations = events.filter(
    ({ name, args: { data } }) =>
      name === 'navigationStart' && data?.isOutermostMainFrame && /^https?:/.test(data.documentLoaderURL ?? ''),
  );
  const last = navigations.toSorted((a, b) => a.ts - b.ts).at(-1);
  return last ? threadOf(last) : mainThreadAtStart(events);
};

const mainThreadAtStart = (events: readonly TraceEvent[]): string | undefined => {
  const { args: { data } = {} } = events.find(({ name }) => name === 'TracingStartedInBrowser') ?? {};
  const pid = data?.frames?.find(({ parent }) => !parent)?.processId;
  return pid === undefined ? undefined : `${pid}:${events.find((each) => each.pid === pid && isPageThread(each))?.tid}`;
};

export const isPageThread = ({ name, args }: TraceEvent): boolean =>
  name === 'thread_name' && args.name === 'CrRendererMain';
