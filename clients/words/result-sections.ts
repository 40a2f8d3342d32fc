import type { CheckView } from '../../shared/check.ts';
import type { RunView } from '../../shared/run.ts';
import { fieldSection } from './field-data.ts';
import { interactionSection } from './interactions.ts';
import type { Section } from './section.ts';
import { simulationSection } from './simulations.ts';

/** Returns the sections of a run in the order in which every client shows them. */
export const sectionsOfRun = (run: RunView): Section[] => [simulationSection(run), interactionSection(run)];

/** Returns the sections of a check and its runs. */
export const sectionsOfCheck = (check: CheckView): Section[] => [
  fieldSection(check),
  ...check.runs.flatMap((run) =>
    sectionsOfRun(run).map((section) =>
      check.runs.length > 1 ? { ...section, title: `${section.title}, ${run.region}` } : section,
    ),
  ),
];
