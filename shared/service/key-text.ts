/**
 * Returns the key as its owner gets it: `pas_<prefix>_<secret><checksum>`. Secret scanners recognise this form and check
 * the checksum. With the checksum the service refuses a mistyped or invented key without a read of the table.
 */
export const keyText = (prefix: string, secret: string): string => {
  const text = `pas_${prefix}_${secret}`;
  return text + checksumOf(text);
};

/** Returns the parts of a key, or undefined if the text has another form or a wrong checksum. */
export const keyParts = (text: string): { prefix: string; secret: string } | undefined => {
  const [, body, prefix, secret, checksum] = /^(pas_([0-9a-f]{12})_([0-9a-f]{64}))([0-9a-f]{8})$/.exec(text) ?? [];
  return body && prefix && secret && checksum === checksumOf(body) ? { prefix, secret } : undefined;
};

/** Returns the CRC-32 of an ASCII text in hex. */
const checksumOf = (text: string): string => {
  let crc = ~0;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
};
