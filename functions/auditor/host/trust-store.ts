import { createHash, type X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { extraAuthorities } from '../../lib/targets/extra-ca.ts';
import { removeStale } from './stale-entries.ts';

/*
 * Chromium on Linux trusts its own list of authorities, and those of the user's NSS database in `$HOME/.pki/nssdb`. This file
 * writes such a database. NSS names columns by PKCS #11 attributes in hexadecimal, and stores numbers as four bytes.
 */

/** Columns of the objects below, and those that NSS searches by. NSS adds the others. */
const COLUMNS = [
  ...['a0', 'a1', 'a2', 'a3', 'a11', 'a80', 'a81', 'a82', 'a101', 'a102', 'a170'],
  ...['ace536358', 'ace536359', 'ace53635a', 'ace53635b', 'ace536360', 'ace5363b4', 'ace5363b5'],
];
const YES = Buffer.of(1);
const NO = Buffer.of(0);
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const TRUST = 0xce534353; // CKO_NSS_TRUST
const TRUSTED_AUTHORITY = number(0xce534352); // CKT_NSS_TRUSTED_DELEGATOR
const NOT_TRUSTED = number(0xce534353); // CKT_NSS_MUST_VERIFY_TRUST

/** Returns the folder of an NSS database that trusts the authorities of EXTRA_CA_FILE, or undefined without such a file. */
export const trustStoreOf = async (file: string | undefined, dir = tmpdir()): Promise<string | undefined> =>
  file === undefined ? undefined : writeTrustStore(dir, extraAuthorities(file));

/** Writes the folder of the database, unless it exists. */
const writeTrustStore = async (dir: string, authorities: readonly X509Certificate[]): Promise<string> => {
  const hash = createHash('sha256');
  for (const { raw } of authorities) hash.update(raw);
  const name = `trust-${hash.digest('hex').slice(0, 16)}`;
  const folder = join(dir, name);
  if (existsSync(folder)) return folder;
  await mkdir(dir, { recursive: true });
  await removeStale(dir, `${name}.part-`);
  const part = `${folder}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  const file = join(part, 'cert9.db');
  const { DatabaseSync } = await import('node:sqlite'); // on first use, because Node.js warns that the module is new
  const db = new DatabaseSync(file);
  try {
    db.exec(`CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${COLUMNS.join(', ')})`);
    for (const [i, each] of authorities.entries()) insert(db, 2 * i + 1, each);
  } finally {
    db.close();
  }
  await chmod(part, 0o755); // each auditor may run as another user
  await chmod(file, 0o644);
  await rename(part, folder).catch(async (error) => {
    if (!existsSync(folder)) throw error; // otherwise another process was faster
    await rm(part, { recursive: true, force: true });
  });
  return folder;
};

/** Inserts the certificate, and the object that says what it is trusted for: to issue certificates of servers. */
const insert = (db: DatabaseSync, id: number, { raw }: X509Certificate): void => {
  const { issuer, serial, subject } = namesIn(raw);
  const common = { a1: YES, a2: NO, a81: issuer, a82: serial, a170: YES };
  const digest = (algorithm: string) => createHash(algorithm).update(raw).digest();
  const certificate = { a0: number(1), a3: Buffer.from(`extra ${id}`), a11: raw, a80: number(0), a101: subject };
  const trust = {
    a0: number(TRUST),
    ace536358: TRUSTED_AUTHORITY, // servers
    ...{ ace536359: NOT_TRUSTED, ace53635a: NOT_TRUSTED, ace53635b: NOT_TRUSTED }, // clients, code, e-mail
    ...{ ace536360: NO, ace5363b4: digest('sha1'), ace5363b5: digest('md5') },
  };
  for (const [i, object] of [{ ...certificate, a102: digest('sha1') }, trust].entries()) {
    const row: Record<string, Buffer> = { ...common, ...object };
    const names = Object.keys(row);
    const values = [id + i, ...Object.values(row)];
    db.prepare(`INSERT INTO nssPublic (id, ${names.join(', ')}) VALUES (${values.map(() => '?').join(', ')})`).run(
      ...values,
    );
  }
};

/** Returns the encoded issuer, serial number and subject of a certificate in DER. */
const namesIn = (certificate: Buffer): { issuer: Buffer; serial: Buffer; subject: Buffer } => {
  const [body] = partsOf(contentOf(certificate));
  const fields = partsOf(contentOf(body as Buffer)).filter((field) => field[0] !== VERSION);
  const [serial, , issuer, , subject] = fields as [Buffer, Buffer, Buffer, Buffer, Buffer];
  return { issuer, serial, subject };
};
const VERSION = 0xa0; // the tag of the optional first field

const contentOf = (element: Buffer): Buffer => element.subarray(lengthsOf(element).header);

const partsOf = (content: Buffer): Buffer[] => {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const { header, body } = lengthsOf(content.subarray(at));
    parts.push(content.subarray(at, at + header + body));
    at += header + body;
  }
  return parts;
};

/** Returns the lengths of the header and the body of a DER element. */
const lengthsOf = (element: Buffer): { header: number; body: number } => {
  const first = element[1] as number;
  if (first < 0x80) return { header: 2, body: first };
  const bytes = first & 0x7f;
  return { header: 2 + bytes, body: element.readUIntBE(2, bytes) };
};
