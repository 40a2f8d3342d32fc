/** Guards that a machine may lack, and the effect of each lack. */
export const guards = {
  sandbox: "A page that breaks its renderer has the rights of its audit's user.",
  memory: 'The memory of a browser has no limit.',
  hangs: 'Only the time limits end a browser or a page that hangs.',
  strays: 'A process that leaves the group of its audit is not ended.',
  zombies: 'The exited processes of a browser stay until process 1 reaps them.',
  files: 'An audit may have files of the service open.',
  load: 'Times are not corrected for other work of the machine, and a run does not say whether it mattered.',
  cpus: 'An audit that is prepared may slow an audit that is measured.',
  resources: 'An audit also starts while memory, processes or files are short.',
  container: 'The limits of a container are unknown.',
  fonts: 'Pages have the fonts of the machine, so that layouts differ from those of other machines.',
  policies: 'The browser obeys policies of the machine, which can undo the network guard.',
} as const satisfies Record<string, string>;

export type Guard = keyof typeof guards;
export const guardNames = Object.keys(guards) as [Guard, ...Guard[]];

/** Returns a line for people that names the missing guards with their effects. */
export const unguardedLine = (missing: readonly Guard[]): string =>
  `Not guarded on this machine: ${missing.map((name) => `${name} (${guards[name]})`).join(' ')}`;
