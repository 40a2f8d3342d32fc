import { Helpers, TraceHandlers, TraceProcessor } from 'lighthouse/core/lib/trace-engine.js';

type Parsed = { Meta: { mainFrameURL: string } };

/** Returns what the library of DevTools reads in a trace. Throws if it can't read the trace. */
export const insightsOf = async ({ traceEvents }: { traceEvents: object[] }): Promise<Parsed> => {
  Helpers.SyntheticEvents.SyntheticEventsManager.createAndActivate(traceEvents as never);
  const processor = new TraceProcessor(TraceHandlers);
  await processor.parse(traceEvents as never, {} as never);
  return processor.data as unknown as Parsed;
};
