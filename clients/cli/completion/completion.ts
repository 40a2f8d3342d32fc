import type { Command, Option } from 'commander';
import { auditVersions } from '../../../shared/audit-versions.ts';
import { categories, devices } from '../../../shared/options/audit-options.ts';
import { allRegions } from '../../../shared/regions.ts';
import { formatNames } from '../formats/render.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A word that a shell may complete, and what it is for. */
type Word = { word: string; text: string };
/** An option that needs a value: a file, or one of some values. */
type Valued = Word & { isFile: boolean; values: readonly string[] };
/** The words that may follow a command. `path` is its name after those of its parents, such as `/schedule/add`. */
type Place = { path: string; commands: readonly Word[]; flags: readonly Word[]; valued: readonly Valued[] };

/** Returns the script with which a shell completes commands, options and their values. */
export const completionOf = (program: Command, shell: Shell): string => {
  const places = placesOf(program, '');
  return `${scripts[shell](program.name(), places).join('\n')}\n`;
};

const placesOf = (command: Command, path: string): Place[] => {
  const options = command.options.filter(({ hidden }) => !hidden);
  const wordOf = (option: Option): Word => ({ word: option.long ?? option.flags, text: option.description });
  return [
    {
      path,
      commands: command.commands.map((each) => ({ word: each.name(), text: each.description() })),
      flags: [...options.filter(({ required }) => !required).map(wordOf), { word: '--help', text: 'show the help' }],
      valued: options
        .filter(({ required }) => required)
        .map((option) => ({
          ...wordOf(option),
          isFile: /<(file|folder)\b/.test(option.flags),
          values: valuesOf(option),
        })),
    },
    ...command.commands.flatMap((each) => placesOf(each, `${path}/${each.name()}`)),
  ];
};

const knownValues: Readonly<Record<string, readonly string[]>> = {
  device: devices,
  category: categories,
  region: ['all', ...allRegions],
  'audit-version': ['latest', ...auditVersions.map(({ version }) => version)],
};

/** Returns the values that an option accepts, as far as they are known without a service. */
const valuesOf = ({ long = '', argChoices, description }: Option): readonly string[] => {
  if (argChoices) return argChoices;
  const name = long.replace(/^--(against\.)?/, '');
  if (name === 'format') return [...formatNames, 'html'].filter((each) => description.includes(each));
  return knownValues[name] ?? [];
};

/** Returns a text as one word of a shell, also if it has quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const cases = (places: readonly Place[]) =>
  places.filter(({ path }) => path !== '').map(({ path }) => `      ${quoted(path)}) place=${quoted(path)} ;;`);
/** Returns the lines that complete the value of each option. `replyOf` gives the commands of a shell. */
const valueCases = (places: readonly Place[], replyOf: (option: Place['valued'][number]) => string) =>
  places.flatMap(({ path, valued }) =>
    valued.map((option) => `    ${quoted(`${path} ${option.word}`)}) ${replyOf(option)}return ;;`),
  );
const wordsOf = ({ commands, flags, valued }: Place): Word[] => [...commands, ...flags, ...valued];

const scripts: Record<Shell, (name: string, places: readonly Place[]) => string[]> = {
  bash: (name, places) => [
    `# Completion of ${name} for bash: eval "$(${name} completion bash)"`,
    '_page_audit() {',
    `  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" place= word`,
    '  COMPREPLY=()',
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$place/$word" in',
    ...cases(places),
    '    esac',
    '  done',
    '  case "$place $prev" in',
    ...valueCases(places, ({ isFile, values }) =>
      isFile ? '' : `compopt +o default; COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur")); `,
    ),
    '  esac',
    '  case "$place" in',
    ...places.map((place) => {
      const words = wordsOf(place).map(({ word }) => word);
      return `    ${quoted(place.path)}) COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$cur")) ;;`;
    }),
    '  esac',
    '}',
    `complete -o default -F _page_audit ${name}`,
  ],
  zsh: (name, places) => [
    `#compdef ${name}`,
    `# Completion of ${name} for zsh: eval "$(${name} completion zsh)", after compinit`,
    '_page_audit() {',
    `  local place= word prev="\${words[CURRENT-1]}"`,
    '  local -a found',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$place/$word" in',
    ...cases(places),
    '    esac',
    '  done',
    '  case "$place $prev" in',
    ...valueCases(places, ({ isFile, values }) => {
      if (isFile) return '_files; ';
      return values.length > 0 ? `compadd -- ${values.map(quoted).join(' ')}; ` : '';
    }),
    '  esac',
    '  case "$place" in',
    ...places.map((place) => {
      const words = wordsOf(place).map(({ word, text }) => quoted(`${word}:${text.replaceAll(':', '\\:')}`));
      return `    ${quoted(place.path)}) found=(${words.join(' ')}) ;;`;
    }),
    '  esac',
    `  _describe ${quoted(name)} found`,
    '}',
    `if [ "$funcstack[1]" = _page_audit ]; then _page_audit "$@"; else compdef _page_audit ${name}; fi`,
  ],
  fish: (name, places) => [
    `# Completion of ${name} for fish: ${name} completion fish | source`,
    'function __page_audit_at',
    '  set -l place ""',
    '  set -l words (commandline -opc)',
    '  for word in $words[2..]',
    `    contains -- $place/$word ${places.map(({ path }) => quoted(path)).join(' ')}; and set place $place/$word`,
    '  end',
    '  test "$place" = "$argv[1]"',
    'end',
    ...places.flatMap(({ path, commands, flags, valued }) => {
      const at = `complete -c ${name} -n ${quotedInFish(`__page_audit_at ${quotedInFish(path)}`)}`;
      const about = (text: string) => `-d ${quotedInFish(text)}`;
      return [
        ...commands.map(({ word, text }) => `${at} -f -a ${quotedInFish(word)} ${about(text)}`),
        ...flags.map(({ word, text }) => `${at} -l ${quotedInFish(word.slice(2))} ${about(text)}`),
        ...valued.map(({ word, text, isFile, values }) => {
          const value = isFile ? '-rF' : `-x${values.length > 0 ? ` -a ${quotedInFish(values.join(' '))}` : ''}`;
          return `${at} -l ${quotedInFish(word.slice(2))} ${value} ${about(text)}`;
        }),
      ];
    }),
  ],
};

/** In fish, a backslash escapes a quote and itself inside quotes. */
const quotedInFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
