import { useState } from 'preact/hooks';
import type { Explanation } from '../../../shared/explanation/schema.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { SectionTable } from '../ui/section.tsx';

type Props = { region: string; explanation: Explanation };

const Facts = onDemand(() =>
  import('../../words/explanation.ts').then(({ sectionsOf }) => ({ region, explanation }: Props) => (
    <>
      {sectionsOf(explanation).map((section) => (
        <SectionTable key={section.id} section={section} place={region} level="h3" />
      ))}
    </>
  )),
);

/** The changes between two results of a region, behind the sentence that says why. */
export const WhatChanged = (props: Props) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What changed: points, requests, scripts and audits</summary>
      {isOpen && <Facts {...props} />}
    </details>
  );
};
