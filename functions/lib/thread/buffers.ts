import { isMarkedAsUntransferable } from 'node:worker_threads';

/**
 * Returns the buffers in a value that a message can hand over. A copy of a large one would hold the process. Node marks the
 * buffer that small Buffers share.
 */
export const buffersIn = (value: unknown): ArrayBuffer[] => [...new Set(bytesIn(value).map(({ buffer }) => buffer))];

const bytesIn = (value: unknown): Uint8Array<ArrayBuffer>[] => {
  if (value instanceof Uint8Array) return canMove(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(bytesIn) : [];
};

const canMove = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(bytes.buffer);

/** Returns bytes of a message as a Buffer, without a copy. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
