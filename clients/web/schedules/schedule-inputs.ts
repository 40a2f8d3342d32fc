import { secretNames } from '../../../shared/options/secrets.ts';
import type { Schedule } from '../../../shared/schedules.ts';
import { everyOf } from '../../words/schedules.ts';
import { checksOf, faultsOf } from '../new-check/form-inputs.ts';

type Fault = ReturnType<typeof faultsOf>[number];

const text = (form: FormData, name: string) => String(form.get(name) ?? '').trim();

/** Returns the name and the times that a form describes. */
const namedTimes = (form: FormData) => ({
  name: text(form, 'schedule-name'),
  every: everyOf(text(form, 'times'), form.has('time-zone') ? text(form, 'time-zone') : undefined),
});

/** Returns the faults of a form that the page knows by itself, at the paths of the API. */
export const scheduleFaultsOf = (form: FormData, isEdit: boolean): Fault[] => [
  ...(text(form, 'times') === '' ? [{ path: 'every', message: 'Enter how often, such as 30m, 6h or 1d.' }] : []),
  ...faultsOf(form).map(ofCheck),
  ...(/\s/.test(text(form, 'url')) ? [{ path: 'check.url', message: 'Enter one URL.' }] : []),
  ...(isEdit && form.getAll('device').length > 1
    ? [{ path: 'check.device', message: 'Choose one device. Create another schedule for the other one.' }]
    : []),
];

const ofCheck = ({ path, message }: Fault): Fault => ({ path: `check.${path}`, message });

/** Returns the bodies of the creates that a form describes: one for each device. */
export const newSchedulesOf = (form: FormData) => {
  const { name, every } = namedTimes(form);
  const checks = checksOf(form);
  return checks.map((check) => ({
    name: checks.length > 1 && name !== '' ? `${name} (${check.device})` : name,
    every,
    check,
  }));
};

/**
 * Returns the body of an edit. Options that the form does not show stay as they are, and so do the secrets, unless the form
 * has new ones or forgets them. A check that stays is not sent, because a new one begins new pools.
 */
export const editOf = (form: FormData, { check: earlier }: Schedule) => {
  const plain = Object.fromEntries(
    Object.entries(earlier).filter(([name]) => !(secretNames as readonly string[]).includes(name)),
  );
  const [sent] = checksOf(form);
  const { auditVersion: _, ...shown } = sent ?? { auditVersion: '' };
  const check = { ...plain, ...shown, ...(form.has('forget-login') && { headers: {} }) };
  const defaults = { device: 'mobile', samples: 1 };
  const isSame = sortedText({ ...defaults, ...check }) === sortedText({ ...defaults, ...plain });
  return { ...namedTimes(form), ...(!isSame && { check }) };
};

const sortedText = (fields: object): string => JSON.stringify(Object.entries(fields).sort());
