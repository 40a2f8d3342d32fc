import { ServiceError } from './service-error.ts';

/** Size from which reading a body and parsing it are two tasks of a page. */
const LONG_BYTES = 256 * 2 ** 10;

/** Returns the complete body of an answer. Throws a ServiceError if it is too large, as a hostile server may never end it. */
export const receiveBody = async (server: string, response: Response, maxBytes: number) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    chunks.push(next.value);
    size += next.value.byteLength;
    if (size <= maxBytes) continue;
    const message = `${server} sent more than ${maxBytes / 2 ** 20} MiB, which is no answer of a page audit service.`;
    throw new ServiceError('not-ours', message);
  }
  // A page that has read a long body answers its user before it goes on.
  if (size > LONG_BYTES) await new Promise((resolve) => setTimeout(resolve));
  const body = new Uint8Array(size);
  let start = 0;
  for (const chunk of chunks) {
    body.set(chunk, start);
    start += chunk.byteLength;
  }
  return body;
};
