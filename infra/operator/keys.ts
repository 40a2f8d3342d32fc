import { keyStore } from '../../functions/lib/store/keys.ts';
import { commandFrom, usage } from './key-commands.ts';
import { runCommand, withTable } from './table.ts';

/** `npm run keys`: creates, lists and revokes API keys. Results go to stdout, messages to stderr. */
await runCommand({
  command: 'keys',
  rights: 'dynamodb:Query on the index `list`, and dynamodb:GetItem, PutItem and UpdateItem on the table',
  run: async (streams) => {
    const command = commandFrom(process.argv.slice(2));
    if (command === 'help') return streams.print(usage);
    await withTable(command.environment, (db) => command.run(keyStore(db), streams));
  },
});
