let obstacle: string | undefined;

/**
 * Records why the auditor of this process can't audit, or undefined when it can. An API function on Lambda shares its
 * process with no auditor, so nothing records an obstacle there.
 */
export const setObstacle = (reason: string | undefined): void => {
  obstacle = reason;
};

export const currentObstacle = (): string | undefined => obstacle;
