import type { AssertionResult } from '../assertions/assertions.ts';
import type { Region } from '../regions.ts';

/** Most assertions that a comparison lists. */
export const MAX_NEWLY_FAILED = 20;

type Asserted = { assertions?: readonly AssertionResult[] | null };
type Side = { run: Asserted };

/** Returns the results of assertions that passed in the base and fail now. */
export const newlyFailed = (pairs: readonly { region: Region; before: Side; after: Side }[]) =>
  pairs
    .flatMap(({ region, before, after }) => {
      const passed = (before.run.assertions ?? []).filter((each) => each.passed);
      return (after.run.assertions ?? [])
        .filter(
          (each) => each.passed === false && passed.some(({ key, name }) => key === each.key && name === each.name),
        )
        .map((each) => ({ region, ...each }));
    })
    .slice(0, MAX_NEWLY_FAILED);
