import { endOnFault } from './last-resort.ts';
import { startWorker } from './worker.ts';
import { workerSettingsFrom } from './worker-settings.ts';

/** `npm run worker`: audits the jobs of one queue on this machine until a signal stops it. */
const main = async (): Promise<void> => {
  const settings = workerSettingsFrom(process.env);
  const worker = await startWorker(settings, (line) => console.log(line));
  endOnFault(async () => {
    worker.hurry();
    await worker.stop();
  });

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (stopping) return worker.hurry();
      stopping = true;
      console.log(
        `Stopping. Running audits have ${settings.stopMs / 1000} s to finish. Then their runs are released, and the sweeper resends their jobs.`,
      );
      await worker.stop();
      process.exit(0);
    });
  }
  console.log(`The worker audits the jobs of ${settings.queueUrl}, up to ${settings.auditsAtOnce} at once.`);
};

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
