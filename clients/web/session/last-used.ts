import type { Device, Samples } from '../../../shared/options/audit-options.ts';

const name = 'page-audit-form';

/** Choices of a new check that the browser keeps. */
type Used = { regions: readonly string[]; devices: readonly string[]; samples: Samples };

type Choices = Pick<Used, 'regions' | 'samples'> & { device: Device };

/** Returns the choices of a check. */
export const usedBy = ({ regions = [], device = 'mobile', samples = 1 }: Partial<Choices>): Used => ({
  regions,
  devices: [device],
  samples,
});

const usual: Used = { regions: [], devices: ['mobile'], samples: 3 };

/** Returns the choices of the last check of this browser, or the usual ones. */
export const lastUsed = (): Used => {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(name) ?? '{}') };
  } catch {
    return usual; // the browser forbids storage, or another program changed the text
  }
};

/** Keeps the choices of a form. */
export const rememberUsed = (form: FormData): void => {
  const used: Used = {
    regions: form.getAll('regions').map(String),
    devices: form.getAll('device').map(String),
    samples: Number(form.get('samples')) || 3, // `auto` needs a second variant, which the browser does not keep
  };
  try {
    localStorage.setItem(name, JSON.stringify(used));
  } catch {
    // The browser forbids storage. The next form shows the usual choices.
  }
};
