import { z } from 'zod';
import { CheckView } from '../check.ts';
import { RunView } from '../run.ts';
import { CheckAssertions } from './sets.ts';

/** Body of a request that judges a finished check by other assertions than its own. */
export const JudgeBody = z.strictObject({ assertions: CheckAssertions }).meta({ id: 'JudgeCheck' });

/** A check by other assertions. Its fields mean the same as in the check. */
export const JudgedCheck = z
  .object({
    ...CheckView.pick({ id: true, assertionsPassed: true }).shape,
    runs: z.array(
      z.object({
        ...RunView.pick({ id: true, region: true, state: true, assertions: true }).shape,
        warnings: z.array(z.string()).describe('Sentences about assertions that are left out.'),
      }),
    ),
  })
  .meta({ id: 'JudgedCheck', description: 'Results of other assertions on a finished check. The service keeps none.' });
export type JudgedCheck = z.infer<typeof JudgedCheck>;
