/** A trace, as the browser records it and Lighthouse reads it. */
export type Trace = { traceEvents: TraceEvent[] };

/** The parts of a trace event that the service reads. Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export type TraceEvent = {
  name: string;
  ts: number;
  /** Phase: `X` is an event with a duration. */
  ph?: string;
  pid?: number;
  tid?: number;
  dur?: number;
  /** CPU time of the thread at the start of the event, and during the event, in microseconds. */
  tts?: number;
  tdur?: number;
  args: { name?: string; data?: TraceData };
};
type TraceData = {
  navigationId?: string;
  isOutermostMainFrame?: boolean;
  documentLoaderURL?: string;
  requestId?: string;
  resourceType?: string;
  url?: string;
  /** Name of a called function. Empty if it has none. */
  functionName?: string;
  /** Frames at the start of the trace. Only the main frame has no parent. */
  frames?: { parent?: string; processId?: number }[];
} & Partial<TimedEvent>;

/** An event of Event Timing. Times are in milliseconds. Events of one interaction have the same id, others have 0. */
export type TimedEvent = {
  type: string;
  interactionId: number;
  timeStamp: number;
  processingStart: number;
  processingEnd: number;
  duration: number;
};
