import { reasonTexts as texts } from '../../words/words.ts';

/** Why verdicts are unknown. */
export const Reasons = ({ reasons }: { reasons: { code: string; region: string }[] }) => {
  if (reasons.length === 0) return null;
  const regionsOf = (code: string) => reasons.filter((each) => each.code === code).map(({ region }) => region);
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return (
    <ul class="warnings" aria-label="Why verdicts are unknown">
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
