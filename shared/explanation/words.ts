/** Numbers with their units, as a sentence shows them. */

/** Returns a time in milliseconds or seconds. */
export const timeText = (ms: number): string =>
  Math.abs(ms) >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;

export const bytesText = (bytes: number): string => {
  const size = Math.abs(bytes);
  if (size >= 1024 * 1024) return `${(size / 1024 / 1024).toFixed(1)} MiB`;
  return size >= 1024 ? `${Math.round(size / 1024)} KiB` : `${size} bytes`;
};

export const shiftText = (shift: number): string => shift.toFixed(Math.abs(shift) < 0.01 ? 3 : 2);

/** Returns a gain or loss of whole points, or an empty text if it is less than one. */
export const pointsText = (points: number): string => {
  const whole = Math.round(Math.abs(points));
  return whole === 0 ? '' : `${points > 0 ? '+' : '−'}${counted(whole, 'point')}`;
};

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const typeNames: Readonly<Record<string, string>> = {
  Document: 'document',
  Stylesheet: 'stylesheet',
  Image: 'image',
  Media: 'media file',
  Font: 'font',
  Script: 'script',
};

/** Returns the noun for a resource type of Chromium. */
export const typeText = (type: string): string => typeNames[type] ?? 'request';
