import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { CorsEnv } from '../shared/env.ts';
import { ApiProblem } from '../shared/problems.ts';
import { docsPolicy, isDocsFile, readDocs } from './lib/http/docs-files.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { acceptsGzip, matchesEtag } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';

const env = () => CorsEnv.parse(process.env);

/** GET /docs and its files: returns Swagger UI, which shows the OpenAPI document and loads nothing from other hosts. */
export const handler = http({ cors: env }, () => docs());

export const docs = () => {
  const read = once(readDocs); // per process: the files never change
  const compressed = new Map<string, Promise<Buffer>>();
  return async ({ params, headers }: Pick<Request, 'params' | 'headers'>): Promise<Reply> => {
    const { version, page, files } = await read();
    const { file } = params;
    if (file !== undefined && (!isDocsFile(file) || params.version !== version)) {
      throw new ApiProblem('not-found', 'There is no such file. The page that names its files is /docs.');
    }
    const { type, content } = file === undefined ? page : files[file];
    const gzipped = acceptsGzip(headers['accept-encoding']);
    const name = file ?? 'page';
    const etag = `"${version}-${name}${gzipped ? '-gzip' : ''}"`;
    const own = {
      etag,
      vary: 'Accept-Encoding',
      'cache-control': file === undefined ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(file === undefined && { 'content-security-policy': docsPolicy }),
    };
    if (matchesEtag(headers['if-none-match'], etag)) return { status: 304, headers: own };
    if (gzipped && !compressed.has(name)) compressed.set(name, gzip(content));
    const body = (await (gzipped && compressed.get(name))) || content;
    return {
      status: 200,
      headers: { ...own, 'content-type': type, ...(gzipped && { 'content-encoding': 'gzip' }) },
      body,
    };
  };
};

const gzip = promisify<Buffer, Buffer>(zlib.gzip);

const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
};
