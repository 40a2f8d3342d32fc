import type { Audited, AuditorMessage, MeasuredAnswer } from '../messages.ts';
import { type InteractionContext, measureInteractions, notMeasured } from './measure.ts';

type Channel = {
  send(message: AuditorMessage): Promise<void>;
  receive<T>(): Promise<T>;
  /** Waits until the audit may use the CPU. */
  waitForStart(): Promise<unknown>;
};

const ENDED = 'The audit ended before this interaction.';

/** Reports the result of the load, which nothing costs from then on, and that of each interaction. */
export const reportInteractions = async (
  context: InteractionContext,
  audited: Audited,
  { send, receive, waitForStart }: Channel,
): Promise<void> => {
  const { order } = context;
  const interactions = order.options.interactions?.map((each) => notMeasured(each, order, ENDED)) ?? [];
  await send({ type: 'loaded', ...audited, summary: { ...audited.summary, interactions } });
  const endTimed = async () => {
    const answer = receive<MeasuredAnswer>();
    send({ type: 'interacted' });
    return (await answer).waits;
  };
  const turn = { startTimed: waitForStart, endTimed };
  await measureInteractions(context, turn, (index, result) => send({ type: 'interaction', index, result }));
  await send({ type: 'finished' });
};
