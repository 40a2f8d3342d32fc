import type { ScheduleList } from '../../../shared/schedules.ts';
import { everyText, lastText } from '../../words/schedules.ts';
import { ago } from '../../words/times.ts';
import { paint, type View, wrap } from '../formats/terminal.ts';
import { shortUrl } from '../formats/titles.ts';

/** Returns schedules as text for a terminal. Each has its name, page, times, last result, next time and id. */
export const schedulesTextOf = ({ schedules }: ScheduleList, { now, ...view }: View & { now: Date }): string => {
  if (schedules.length === 0)
    return 'There are no schedules. Add one: page-audit schedule add https://example.com/ --every 6h\n';
  const all = schedules.map((schedule) => {
    const { id, name, every, check, last, nextAt } = schedule;
    const result = last
      ? `${lastText(schedule)}${last.checkId ? ` ${last.checkId}` : ''}, ${ago(last.at, now.getTime())}`
      : lastText(schedule);
    const facts = [
      `${shortUrl(check.url)}, ${check.regions.join(', ')}`,
      everyText(every),
      last?.error ? paint(result, 'poor', view) : result,
      nextAt === null ? 'paused' : `next at ${nextAt}`,
      id,
    ];
    return [
      ...wrap(paint(name, 'heading', view), view.width),
      ...facts.flatMap((text) => wrap(text, view.width - INDENT.length).map((line) => INDENT + line)),
    ];
  });
  return all.map((lines) => `${lines.join('\n')}\n`).join('\n');
};
const INDENT = '  ';
