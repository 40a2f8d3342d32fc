import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';

/*
 * A function that reports what its sandbox allows. The test copies it beside Chromium's files.
 */
const codeOf = (does) => {
  try {
    return does();
  } catch (error) {
    return error.code;
  }
};
const inProc = (file, pattern) => pattern.exec(readFileSync(`/proc/self/${file}`, 'utf8'))[1];

/** Starts a browser, which opens a page. Resolves to `started` when a renderer has shown it. */
const startChromium = (flags) =>
  new Promise((resolve) => {
    const home = '/var/task/chromium';
    const args = ['--headless', '--disable-dev-shm-usage', '--user-data-dir=/tmp/profile', '--remote-debugging-pipe'];
    const env = { ...process.env, HOME: '/tmp', LD_LIBRARY_PATH: `${home}/al2023/lib` };
    const browser = spawn(`${home}/chromium`, [...args, ...flags, 'data:text/html,<title>shown</title>'], {
      env,
      timeout: 60_000,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    let answers = '';
    browser.stderr.on('data', (text) => {
      stderr += text;
    });
    browser.stdio[4].on('data', (text) => {
      answers += text;
      if (!answers.includes('"title":"shown"')) return;
      resolve('started');
      browser.kill('SIGKILL');
    });
    const ask = setInterval(() => browser.stdio[3].write('{"id":1,"method":"Target.getTargets"}\0'), 50);
    browser.stdio[3].on('error', () => {}); // the browser has exited
    browser.once('exit', () => {
      clearInterval(ask);
      resolve(`exited: ${stderr.slice(-1000)}`);
    });
  });

/** Starts a process whose parent exits before it. Returns its state after its own exit. */
const orphan = async () => {
  const starter = `const { pid } = require('node:child_process').spawn('/var/lang/bin/node', ['-e', ''], { stdio: 'ignore' });
    process.stdout.write(String(pid), () => process.exit());`;
  const child = spawn('/var/lang/bin/node', ['-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  let pid = '';
  for await (const text of child.stdout) pid += text;
  const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  while (stat()[0] !== 'Z') await sleep(50);
  const [state, parent] = stat();
  return { state, parent: Number(parent) };
};

const probes = {
  write: (path) => codeOf(() => writeFileSync(path, '')) ?? 'written',
  limits: () => ({
    files: Number(inProc('limits', /Max open files +(\d+)/)),
    processes: Number(inProc('limits', /Max processes +(\d+)/)),
  }),
  rights: () => ({
    uid: process.getuid(),
    capabilities: inProc('status', /CapEff:\s+(\w+)/),
    home: process.env.HOME ?? null,
  }),
  openFiles: (count) => {
    const files = [];
    const code = codeOf(() => {
      while (files.length < count) files.push(openSync('/dev/null', 'r'));
    });
    for (const file of files) closeSync(file);
    return code ?? 'opened';
  },
  systemCall: (number, first = 0, second = 0) => {
    const koffi = createRequire('/var/task/')('/var/task/koffi');
    const systemCall = koffi.load(null).func('long syscall(long number, long a, long b, long c, long d, long e)');
    return systemCall(number, first, second, 0, 0, 0) === -1 ? getSystemErrorName(-koffi.errno()) : 'done';
  },
  existing: (paths) => paths.filter((path) => existsSync(path)),
  chromium: (...flags) => startChromium(flags),
  orphan,
};

export const handler = ({ probe, args }) => probes[probe](...args);
