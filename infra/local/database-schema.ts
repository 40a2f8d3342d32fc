/** The tables of a data folder's database. SETTINGS.md describes them. */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS items (pk TEXT, sk TEXT, item TEXT NOT NULL, PRIMARY KEY (pk, sk)) STRICT;
  CREATE TABLE IF NOT EXISTS index_open (partition TEXT, sort TEXT, pk TEXT, sk TEXT, entry TEXT NOT NULL,
    PRIMARY KEY (partition, sort, pk, sk)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS index_list (partition TEXT, sort TEXT, pk TEXT, sk TEXT, entry TEXT NOT NULL,
    PRIMARY KEY (partition, sort, pk, sk)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL,
    owner TEXT NOT NULL, attributes TEXT NOT NULL, sent INTEGER NOT NULL, visible INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0, first_received INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_time ON messages (queue, visible);
  CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, type TEXT, encoding TEXT, etag TEXT NOT NULL,
    bytes INTEGER NOT NULL, modified INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, hours INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
`;
