/*
 * Starts the server of Lighthouse CI on a free port, and prints the port. Arguments: the folder of its packages, and its
 * database. Node's own SQLite stands for the package `sqlite3`, whose install script builds native code.
 */
const Module = require('node:module');
const { DatabaseSync } = require('node:sqlite');

const plain = (value) => (typeof value === 'boolean' ? Number(value) : (value ?? null));
const argumentsOf = (values) =>
  Array.isArray(values)
    ? values.map(plain)
    : [Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plain(value)]))];

/** A connection as the package has it. Values and a callback may be left out. */
class Database {
  constructor(path, _mode, opened) {
    this.database = new DatabaseSync(path);
    setImmediate(() => opened.call(this, null));
  }

  #answer([values, done = () => {}], work) {
    if (typeof values === 'function') return this.#answer([[], values], work);
    try {
      const { context = {}, rows } = work(argumentsOf(values ?? []));
      setImmediate(() => done.call(context, null, rows));
    } catch (error) {
      setImmediate(() => done.call({}, Object.assign(error, { code: 'SQLITE_ERROR' })));
    }
  }

  serialize(work) {
    work();
  }

  all(sql, ...rest) {
    this.#answer(rest, (values) => ({ rows: this.database.prepare(sql).all(...values) }));
  }

  run(sql, ...rest) {
    this.#answer(rest, (values) => {
      const { lastInsertRowid: lastID, changes } = this.database.prepare(sql).run(...values);
      return { context: { lastID: Number(lastID), changes: Number(changes) } };
    });
  }

  close(done = () => {}) {
    this.database.close();
    setImmediate(() => done(null));
  }
}

const sqlite3 = { Database, OPEN_READWRITE: 2, OPEN_CREATE: 4, OPEN_FULLMUTEX: 65536 };
const load = Module._load;
Module._load = (request, ...more) => (request === 'sqlite3' ? sqlite3 : load(request, ...more));

const [folder, sqlDatabasePath] = process.argv.slice(2);
const { createServer } = require(`${folder}/@lhci/server/src/server.js`);
const storage = { storageMethod: 'sql', sqlDialect: 'sqlite', sqlDatabasePath };
createServer({ logLevel: 'silent', port: 0, host: '127.0.0.1', storage }).then(({ port }) => console.log(port));
