import type { ArtifactName } from '../../shared/options/artifacts.ts';

/** A file of an audit, and its size before gzip. */
export type KeptFile = { gzip: Buffer; bytes: number };
/** Files of an audit besides its report. */
export type KeptFiles = Partial<Record<ArtifactName, KeptFile>>;
