import { regionStore } from '../../functions/lib/store/regions.ts';
import { commandFrom, usage } from './region-commands.ts';
import { runCommand, withTable } from './table.ts';

/** `npm run regions`: pauses, resumes and lists regions. Results go to stdout, messages to stderr. */
await runCommand({
  command: 'regions',
  rights: 'dynamodb:GetItem and UpdateItem on the table',
  run: async (streams) => {
    const command = commandFrom(process.argv.slice(2));
    if (command === 'help') return streams.print(usage);
    await withTable(command.environment, (db) => command.run(regionStore(db), streams));
  },
});
