import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MAX_ANSWER_BYTES } from '../../infra/local/service.ts';
import { startFunctions } from '../support/gateway.ts';
import { startEngines } from '../support/world.ts';

/*
 * Child process of the bench: the API alone, on the engines of `npm start`. It sends its URL to the bench. At each message it
 * sends the longest time for which its event loop stood still since the last one, in milliseconds.
 */
const RESOLUTION_MS = 5;

const [dataDir = ''] = process.argv.slice(2);
await startEngines(
  { TARGETS: 'local', POWERTOOLS_LOG_LEVEL: 'SILENT', MAX_ANSWER_BYTES: `${MAX_ANSWER_BYTES}` },
  { dataDir },
);
const { url } = await startFunctions();
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('message', () => {
  process.send?.(delay.max / 1e6 - RESOLUTION_MS);
  delay.reset();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ url });
