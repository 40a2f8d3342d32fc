const name = 'page-audit-form';

/** Choices of a new check that the browser keeps. */
type Used = { regions: readonly string[]; devices: readonly string[]; samples: number };

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
    samples: Number(form.get('samples')) || usual.samples, // `auto` needs a second variant, which the browser does not keep
  };
  try {
    localStorage.setItem(name, JSON.stringify(used));
  } catch {
    // The browser forbids storage. The next form shows the usual choices.
  }
};
