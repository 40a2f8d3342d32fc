import type { Check, Client, CreateCheck } from '../client.ts';
import { isFinal } from '../client.ts';

/** Pause between two progress reports, in milliseconds. A report restarts the request timeout of many agents. */
const REPORT_MS = 5000;

/** Inputs of a create. The service judges the names of regions and versions, as a deployment may have its own. */
type Inputs = Omit<CreateCheck, 'regions' | 'auditVersion'> & { auditVersion: string; regions?: string[] | undefined };
type Watch = { signal: AbortSignal; report: (message: string) => Promise<void> };

/** Creates a check and returns it when it is finished. Erases an unfinished check if the agent cancels the call. */
export const runCheck = async (client: Client, inputs: Inputs, { signal, report }: Watch): Promise<Check> => {
  const regions = inputs.regions ?? [await firstRegion(client, signal)];
  const { id } = await client.create({ ...inputs, regions } as CreateCheck, { signal });
  let check: Check | undefined;
  let sent = Promise.resolve();
  const send = () => {
    sent = report(progressOf(check)).catch(() => undefined); // the agent is gone, and its signal ends the wait
  };
  const timer = setInterval(send, REPORT_MS);
  try {
    return await client.wait(id, {
      signal,
      onChange: (changed) => {
        check = changed;
        send();
      },
    });
  } catch (error) {
    if (signal.aborted && !(check && isFinal(check))) await client.delete(id);
    throw error;
  } finally {
    clearInterval(timer);
    await sent; // agents ignore progress that comes after the result
  }
};

const firstRegion = async (client: Client, signal: AbortSignal): Promise<string> => {
  const { regions } = await client.regions({ signal });
  const [first] = regions;
  if (!first) throw new Error('The service offers no region.');
  return first.id;
};

const progressOf = (check: Check | undefined): string =>
  check ? check.runs.map(({ region, state }) => `${region} ${state}`).join(', ') : 'created';
