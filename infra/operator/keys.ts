import { keyStore } from '../../functions/lib/store/keys.ts';
import { commandFrom, usage } from './key-commands.ts';
import { reportFailure, withTable } from './table.ts';

/** `npm run keys`: creates, lists and revokes API keys. Results go to stdout, messages to stderr. */
const main = async (): Promise<void> => {
  const command = commandFrom(process.argv.slice(2));
  if (command === 'help') return console.log(usage);
  await withTable(command.environment, (db) => command.run(keyStore(db)));
};

try {
  await main();
} catch (error) {
  const rights = 'dynamodb:Query, GetItem, PutItem and UpdateItem on the table';
  reportFailure(error as Error, { command: 'keys', rights });
}
