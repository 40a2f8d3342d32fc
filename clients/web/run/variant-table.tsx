import type { RunView } from '../../../shared/run.ts';
import { turnsText } from '../../words/turns.ts';
import { variantSection } from '../../words/variants.ts';
import { SectionRows } from '../ui/section.tsx';

/** Both variants of a run side by side, with the change from the second one to the check. */
export const VariantTable = ({ run, labelled, all = false }: { run: RunView; labelled: string; all?: boolean }) => (
  <>
    <SectionRows section={variantSection(run, { all })} labelled={labelled} />
    {run.turns && <p class="muted">{turnsText(run.turns)}.</p>}
  </>
);
