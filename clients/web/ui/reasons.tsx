import type { Difference } from '../../../shared/comparison/comparable.ts';
import type { Region } from '../../../shared/regions.ts';
import { differenceText } from '../../words/differences.ts';
import { reasonTexts as texts } from '../../words/words.ts';
import { useNamer } from './places.ts';
import { Quoted } from './quoted.tsx';
import { TwoLines } from './two-lines.tsx';

type Props = { reasons: { code: string; region: Region }[]; differences?: Difference[]; notes?: string[] };

/** Why verdicts are unknown. */
export const Reasons = ({ reasons, differences = [], notes = [] }: Props) => {
  const nameOf = useNamer(reasons);
  if (reasons.length + differences.length + notes.length === 0) return null;
  const regionsOf = (code: string) => reasons.filter((each) => each.code === code).map(({ region }) => nameOf(region));
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return (
    <ul class="warnings" aria-label="Why verdicts are unknown">
      {[...differences.map(differenceText), ...notes].map((text) => (
        <li key={text}>
          <TwoLines>
            <span aria-hidden="true">⚠ </span>
            <Quoted text={text} />
          </TwoLines>
        </li>
      ))}
      {codes.map((code) => (
        <li key={code}>
          <span aria-hidden="true">⚠ </span>
          <strong>{regionsOf(code).join(', ')}: </strong>
          {texts[code] ?? code}
        </li>
      ))}
    </ul>
  );
};
