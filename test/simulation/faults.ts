import type { Random } from './random.ts';

/** Faults of one request to AWS, with how often each is drawn. */
const requestFaults = {
  /** The connection breaks before the request arrives. */
  cut: 3,
  /** The service answers with an error and does nothing. */
  refused: 2,
  /** The request is handled, and the connection breaks before the answer. The SDK repeats the request. */
  'answer lost': 4,
  /** The request is handled, and the service answers with an error. The SDK repeats the request. */
  'handled, error answered': 2,
  /** The request is handled, and no answer comes. The SDK repeats the request after its timeout. */
  silent: 1,
  /** The request arrives late, maybe after the SDK has repeated it. */
  'slow request': 2,
  /** The answer arrives late, maybe after the SDK has repeated the request. */
  'slow answer': 2,
  'process dies before': 3,
  'process dies after': 3,
  /** The process runs no code for a time that may outlast its lease. The request arrives after that time. */
  'process stalls before': 4,
  /** The same, but the request arrives at once. */
  'process stalls after': 3,
  /** The service fails every request for a time. */
  outage: 0.3,
};
export type RequestFault = keyof typeof requestFaults;

/** Faults of a message that a function has sent. */
const messageFaults = { lost: 1, doubled: 2, delayed: 2 };
export type MessageFault = keyof typeof messageFaults;

type Options = { random: Random; probability: number };

/** Draws the faults of a simulation. `probability` is that of a fault of one request. */
export const drawFaults = ({ random, probability }: Options) => {
  let count = 0;
  let stopped = false;
  /** Returns true if a fault of this probability happens now. */
  const happens = (probability: number): boolean => {
    if (stopped || !random.chance(probability)) return false;
    count++;
    return true;
  };
  return {
    happens,
    ofRequest: (): RequestFault | undefined => (happens(probability) ? random.weighted(requestFaults) : undefined),
    ofMessage: (): MessageFault | undefined => (happens(probability) ? random.weighted(messageFaults) : undefined),
    count: () => count,
    stop: () => {
      stopped = true;
    },
  };
};
export type Faults = ReturnType<typeof drawFaults>;
