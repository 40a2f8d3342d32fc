import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

export type Message = { id: number; body: string; visibleAt: number; receives: number };

type Options = { timeline: Timeline; random: Random; visibilityMs: number; maxReceives?: number };

/** A queue that delivers at least once and in any order. It moves a message to `deadLetters` like SQS. */
export const simulatedQueue = ({ timeline, random, visibilityMs, maxReceives }: Options) => {
  const messages = new Map<number, Message>();
  const deadLetters: string[] = [];
  let ids = 0;
  return {
    deadLetters,
    send: (body: string, delayMs = 0): void => {
      const message = { id: ids++, body, visibleAt: timeline.now() + delayMs, receives: 0 };
      messages.set(message.id, message);
    },
    receive: (): Message | undefined => {
      const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= timeline.now());
      for (const message of visible) {
        if (message.receives >= (maxReceives ?? Number.POSITIVE_INFINITY)) {
          messages.delete(message.id);
          deadLetters.push(message.body);
        }
      }
      const message = random.pick(visible.filter(({ id }) => messages.has(id)));
      if (!message) return undefined;
      message.receives++;
      message.visibleAt = timeline.now() + visibilityMs;
      return message;
    },
    delete: ({ id }: Pick<Message, 'id'>): void => void messages.delete(id),
    /** Makes a received message visible at once, so that it is delivered twice. */
    show: ({ id }: Message): void => {
      const message = messages.get(id);
      if (message) message.visibleAt = timeline.now();
    },
    count: () => {
      const visible = [...messages.values()].filter(({ visibleAt }) => visibleAt <= timeline.now()).length;
      return { visible, received: messages.size - visible };
    },
    /** Loses all messages. */
    purge: (): void => messages.clear(),
  };
};
export type SimulatedQueue = ReturnType<typeof simulatedQueue>;
