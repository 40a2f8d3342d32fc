/** Files of an audit that a run can keep besides its report. */
export const artifactNames = ['trace', 'har'] as const;
export type ArtifactName = (typeof artifactNames)[number];

/** Life of these files in days. */
export const ARTIFACT_DAYS = 14;

export const acceptedArtifacts = `The artifacts must be a list of one or more of these, each once: ${artifactNames.join(', ')}.`;

/** Says why no check has both artifacts and secrets. */
export const artifactsWithSecrets =
  'A trace and a HAR contain what a page with secrets sends and receives. Leave out the artifacts, or the headers, the credentials, the cookies, the storage state and the secret texts.';
