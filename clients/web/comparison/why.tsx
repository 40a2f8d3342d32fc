import type { Explanation } from '../../../shared/explanation/schema.ts';
import { sectionsOf } from '../../words/explanation.ts';
import { SectionTable } from '../ui/section.tsx';

/** The changes between two results of a region, behind the sentence that says why. */
export const WhatChanged = ({ region, explanation }: { region: string; explanation: Explanation }) => (
  <details>
    <summary>What changed: points, requests, scripts and audits</summary>
    {sectionsOf(explanation).map((section) => (
      <SectionTable key={section.id} section={section} place={region} level="h3" />
    ))}
  </details>
);
