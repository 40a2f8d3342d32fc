import type { RunView } from '../../shared/run.ts';
import { interactionSection } from './interactions.ts';
import type { Section } from './section.ts';
import { simulationSection } from './simulations.ts';

/** Returns the sections of a run in the order in which every client shows them. */
export const sectionsOfRun = (run: RunView): Section[] => [simulationSection(run), interactionSection(run)];
