/** An error that a service of AWS answers. `type` is its name in the answer. */
export class ServiceError extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

/** Returns the error of a request that DynamoDB refuses. */
export const invalid = (message: string): ServiceError => new ServiceError('ValidationException', message);

/** Returns the error of a value in a request that DynamoDB refuses. */
export const invalidValue = (message: string): ServiceError =>
  invalid(`One or more parameter values were invalid: ${message}`);

/** Returns the error of a request that DynamoDB may accept, and that no store sends. */
export const unknown = (what: string): ServiceError => invalid(`The table on this machine does not know ${what}.`);
