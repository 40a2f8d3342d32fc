import { fstatSync, writeFileSync } from 'node:fs';

/** The error of an output that can't be written. Its message names the output and says what to do. */
export class WriteError extends Error {
  constructor(output: string, { message }: Error) {
    super(`${output} can't be written (${message}). Free space on the disk, or name another file.`);
  }
}

/** Standard output and standard error of a command. A text that is lost decides the exit code. */
export class Streams {
  readonly #stdout = new Output(process.stdout);
  readonly #stderr = new Output(process.stderr);
  #isReported = false;

  /** Aborts when standard output can't be written any more. */
  readonly stdoutLost: AbortSignal = this.#stdout.lost;

  /** Writes a text to stdout. Throws a WriteError, except when the reader has closed the pipe. */
  readonly print = async (text: string): Promise<void> => {
    await this.#stdout.write(text);
    if (!this.#lostText()) return;
    this.#isReported = true;
    throw this.#lostText();
  };

  /** Writes a line to stderr. `end` reports a failure. */
  readonly note = (line: string): void => void this.#stderr.write(`${line}\n`);

  /** Waits until all texts are written. Returns the exit code: `lostCode` if a text was lost, else the given one. */
  readonly end = async (code: number, lostCode = 4): Promise<number> => {
    const lost = this.#lostText();
    if (lost && !this.#isReported) this.note(lost.message);
    await Promise.all([this.#stdout.written, this.#stderr.written]);
    const { error } = this.#stderr;
    if (error) await this.#stdout.write(`${new WriteError('Standard error', error).message}\n`);
    return error || this.#lostText() ? lostCode : code;
  };

  #lostText(): WriteError | undefined {
    const { error } = this.#stdout;
    return error && !hasReaderLeft(error) ? new WriteError('Standard output', error) : undefined;
  }
}

/** Returns true if the reader has closed the pipe, as `head` does when it has enough. */
const hasReaderLeft = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

class Output {
  readonly #stream: NodeJS.WriteStream & { fd: number };
  readonly #isFile: boolean;
  readonly #lost = new AbortController();
  /** Resolves when all texts so far are written. */
  written: Promise<void> = Promise.resolve();

  constructor(stream: NodeJS.WriteStream & { fd: number }) {
    this.#stream = stream;
    const status = fstatSync(stream.fd);
    this.#isFile = !status.isFIFO() && !status.isSocket() && !stream.isTTY;
    stream.on('error', (error) => this.#lose(error)); // also from a library that writes to the stream itself
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The error of the first text that was lost. */
  get error(): Error | undefined {
    return this.#lost.signal.reason;
  }

  /** Writes a text. Resolves when the system has all of it, or `error` says why not. */
  write(text: string): Promise<void> {
    if (this.error) return Promise.resolve();
    const writing = this.#isFile ? this.#writeToFile(text) : this.#writeToStream(text);
    this.written = Promise.all([this.written, writing]).then(() => {});
    return writing;
  }

  /** Node's stream for a file takes a short write on a full disk for a complete one. */
  async #writeToFile(text: string): Promise<void> {
    try {
      writeFileSync(this.#stream.fd, text);
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  #writeToStream(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#lose(error);
        resolve();
      });
    });
  }

  #lose(error: Error): void {
    this.#lost.abort(error);
  }
}
