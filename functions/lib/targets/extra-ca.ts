import { X509Certificate } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns the certificate authorities of the PEM file that EXTRA_CA_FILE names. Throws an error that says what is wrong with the file. */
export const extraAuthorities = (file: string, now = new Date()): X509Certificate[] => {
  const blocks = readPem(file).match(PEM) ?? [];
  if (blocks.length === 0)
    throw new Error(`The file ${file} has no certificate. Use a PEM file of certificate authorities.`);
  const all = blocks.map((block) => parse(block, file));
  const other = all.find(({ ca }) => !ca);
  if (other) throw new Error(`The certificate "${nameOf(other)}" in ${file} is none of an authority. Leave it out.`);
  const expired = all.find(({ validTo }) => Date.parse(validTo) <= now.getTime());
  if (expired) throw new Error(`The certificate "${nameOf(expired)}" in ${file} has expired. Replace it.`);
  return all;
};

/**
 * Returns the option `ca` of a TLS connection: the public authorities and those of EXTRA_CA_FILE. Without such a file it
 * returns undefined, and Node.js then trusts the public ones.
 */
export const trustedAuthorities = (file: string | undefined): string[] | undefined =>
  file === undefined ? undefined : [...rootCertificates, ...extraAuthorities(file).map(String)];

/** Size up to which a file is read. All public authorities together have 0.3 MiB. */
const MAX_BYTES = 4 * 2 ** 20;

const readPem = (file: string): string => {
  const bytes = readStart(file);
  if (bytes.length > MAX_BYTES)
    throw new Error(
      `The file ${file} is larger than ${MAX_BYTES / 2 ** 20} MiB. Use a PEM file of certificate authorities.`,
    );
  return bytes.toString('utf8');
};

/** Returns at most one byte more of a file than is read. A device, such as /dev/zero, has no end and no size. */
const readStart = (file: string): Buffer => {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(MAX_BYTES + 1);
      let length = 0;
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = readSync(descriptor, bytes, length, bytes.length - length, null);
      return bytes.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new Error(`Use a readable PEM file. ${file} can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
};

const parse = (block: string, file: string): X509Certificate => {
  try {
    return new X509Certificate(block);
  } catch {
    throw new Error(`A certificate in ${file} is damaged. Export it once more.`);
  }
};

const nameOf = ({ subject }: X509Certificate): string => subject.replaceAll('\n', ', ');
