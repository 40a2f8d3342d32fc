#!/usr/bin/env node
// Runs the source with Node.js 24. `npx` takes the Node.js of the packages already. A direct call may have an older one.
const { join } = require('node:path');

const main = join(__dirname, 'main.ts');
if (Number(process.versions.node.split('.')[0]) >= 24) import(require('node:url').pathToFileURL(main).href);
else {
  const newer = join(__dirname, '../../node_modules/.bin/node');
  // The channel closes when this process is killed, so the command sees it.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = require('node:child_process').spawn(newer, [main, ...process.argv.slice(2)], { stdio });
  child.once('error', () => {
    console.error(`This is Node.js ${process.versions.node}, but version 24 is needed. Install it, or run npm ci.`);
    process.exitCode = 4;
  });
  // A signal may reach this process alone, or both. The command takes two at once for one. A message, unlike a late signal,
  // can't kill a command that is about to exit.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.connected && child.send(signal, () => {}));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.exitCode = 4;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
