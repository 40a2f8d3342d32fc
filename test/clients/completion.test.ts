import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shells } from '../../clients/cli/completion/completion.ts';
import { runHere } from '../support/command-context.ts';
import { unlessMissing } from '../support/skips.ts';

type Shell = (typeof shells)[number];

/** How a shell says what it would complete after some words, of which the last is not finished. */
const asking: Record<Shell, (words: readonly string[]) => readonly string[]> = {
  bash: (words) => [
    `-c`,
    `eval "$(cat)"; COMP_WORDS=(${words.map((each) => `'${each}'`).join(' ')}); COMP_CWORD=${words.length - 1}
     _page_audit 2> /dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (words) => [
    '-fc',
    `compdef() { :; }; _files() { print files; }; compadd() { shift; print -l -- "$@"; }
     _describe() { print -l -- "\${(@P)2}"; }; eval "$(cat)"
     words=(${words.map((each) => `'${each}'`).join(' ')}); CURRENT=$#words; _page_audit`,
  ],
  fish: (words) => ['--no-config', '-c', `cat | source; complete -C '${words.join(' ')}'`],
};

const missing = (shell: Shell) => unlessMissing(spawnSync(shell, ['--version']).status === 0 ? undefined : shell);

for (const shell of shells) {
  test(`${shell} completes commands, options and their values`, missing(shell), async () => {
    const { stdout: script, code } = await runHere(['completion', shell], undefined);
    expect(code).toBe(0);
    const complete = (...words: string[]): string[] => {
      const { stdout, stderr } = spawnSync(shell, asking[shell](['page-audit', ...words]), {
        input: script,
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      return stdout.split('\n').map((line) => line.split(/[:\t]/)[0] ?? '');
    };
    expect(complete('')).toEqual(expect.arrayContaining(['run', 'get', 'schedule', 'completion']));
    expect(complete('schedule', '')).toEqual(expect.arrayContaining(['add', 'pause']));
    expect(complete('run', '--thr')).toEqual(expect.arrayContaining(['--throttling.rttMs', '--throttling']));
    expect(complete('schedule', 'add', '--ev')).toContain('--every');
    expect(complete('get', '--ev')).not.toContain('--every');
    expect(complete('run', '--device', 'mo')).toContain('mobile');
    expect(complete('list', '--format', '')).toEqual(expect.arrayContaining(['json', 'text']));
    expect(complete('list', '--format', '')).not.toContain('csv');
  });

  test('a shell that is not known is refused by name', async () => {
    const { code, stderr } = await runHere(['completion', 'tcsh'], undefined);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
  });
}
