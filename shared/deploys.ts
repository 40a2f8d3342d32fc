/** Labels that name a deploy. The first one that a check has counts. */
export const deployLabels = ['deploy', 'release', 'version', 'commit'] as const;
/** Most characters of a deploy's name, such as those of a short commit. */
const MAX_NAME = 12;

type Labels = Readonly<Record<string, string>>;
type Labelled = { checkId: string; createdAt: string; labels?: Labels | undefined };
/** A deploy: the first check with a name that no earlier check has. */
export type Deploy = { at: string; text: string; checkId: string; labels: Labels };

/** Returns the deploys that labels of checks name, the oldest first. The first name of a series is none. */
export const deploysOf = (oldestFirst: readonly Labelled[]): Deploy[] => {
  const label = deployLabels.find((name) => oldestFirst.some(({ labels = {} }) => Object.hasOwn(labels, name)));
  if (!label) return [];
  const seen = new Set<string>();
  return oldestFirst.flatMap(({ checkId, createdAt, labels = {} }) => {
    const name = Object.hasOwn(labels, label) ? labels[label] : undefined;
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    return seen.size === 1 ? [] : [{ at: createdAt, text: `${label} ${name.slice(0, MAX_NAME)}`, checkId, labels }];
  });
};

/** Returns true if a trend with these labels shows a mark: the mark has no other value of one of them. */
export const isMarkOf = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([name, value]) => !Object.hasOwn(labels, name) || labels[name] === value);
