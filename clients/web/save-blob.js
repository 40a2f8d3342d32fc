// @ts-check

/**
 * Saves a blob as a file.
 * @param {Blob} blob
 * @param {string} name
 */
export const saveBlob = (blob, name) => {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it after the click
};
