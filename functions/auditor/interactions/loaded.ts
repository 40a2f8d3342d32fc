import type { AuditEnd, Audited } from '../messages.ts';
import type { InteractionMessage } from './messages.ts';

/** Result of the load, with the interactions so far. From then on, no end of the audit costs it. */
export type Loaded = Audited | null;

/** The other events of an audit. */
export type OfLoad<Event> = Exclude<Event, InteractionMessage<Audited>>;

type Decided<State, Started> = [State, { end: AuditEnd } | Started];

/** Follows the messages of an audit with interactions. `decide` decides on all other events. */
export const keepingLoad = <State extends { loaded: Loaded }, Event extends { type: string }, Started extends object>(
  state: State,
  event: Event | InteractionMessage<Audited>,
  decide: (event: OfLoad<Event>) => Decided<State, Started>,
  nothing: Started,
): Decided<State, Started> => {
  const [next, decision]: Decided<State, Started> = isOfInteractions(event)
    ? [
        { ...state, loaded: loadedAfter(state.loaded, event) },
        event.type === 'finished' ? { end: { how: 'exited' } } : nothing,
      ]
    : decide(event as OfLoad<Event>);
  return [next, next.loaded && 'end' in decision ? { end: { how: 'audited', ...next.loaded } } : decision];
};

const isOfInteractions = (event: { type: string }): event is InteractionMessage<Audited> =>
  ['loaded', 'interacted', 'interaction', 'finished'].includes(event.type);

const loadedAfter = (loaded: Loaded, event: InteractionMessage<Audited>): Loaded => {
  if (event.type === 'loaded') {
    const { type: _, ...audited } = event;
    return audited;
  }
  if (!loaded || event.type !== 'interaction') return loaded;
  const { summary } = loaded;
  const interactions = summary.interactions?.with(event.index, event.result) ?? [];
  return { ...loaded, summary: { ...summary, interactions } };
};
