import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

const readPem = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
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
