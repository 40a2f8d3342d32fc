/* Numbers of DynamoDB: decimal texts of up to 38 digits. JavaScript's numbers can't hold all of them. */

type Decimal = { coefficient: bigint; scale: number }; // coefficient × 10^-scale

const MAX_EXPONENT = 125;
const MIN_EXPONENT = -130;
const MAX_DIGITS = 38;
const SMALL = /^(0|-?[1-9]\d{0,14})$/;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Returns the plain form of a number, or what is wrong with the text. */
export const parseNumber = (text: string): { number: string } | { fault: string } => {
  if (SMALL.test(text)) return { number: text };
  const decimal = decimalOf(text);
  if (!decimal) {
    const fault = 'The parameter cannot be converted to a numeric value';
    return { fault: text === '' ? fault : `${fault}: ${text}` };
  }
  const digits = digitsOf(decimal.coefficient);
  const exponent = decimal.coefficient === 0n ? 0 : digits.length - 1 - decimal.scale;
  if (exponent > MAX_EXPONENT)
    return { fault: 'Number overflow. Attempting to store a number with magnitude larger than supported range' };
  if (exponent < MIN_EXPONENT)
    return { fault: 'Number underflow. Attempting to store a number with magnitude smaller than supported range' };
  if (digits.replace(/0+$/, '').length > MAX_DIGITS) return { fault: TOO_MANY_DIGITS };
  return { number: plain(decimal) };
};

const TOO_MANY_DIGITS = 'Attempting to store more than 38 significant digits in a Number';

export const compareNumbers = (a: string, b: string): number => {
  if (SMALL.test(a) && SMALL.test(b)) return Math.sign(Number(a) - Number(b));
  const [first, second] = aligned(a, b);
  return first === second ? 0 : first < second ? -1 : 1;
};

/** Adds two numbers. The result may have a fault, as of `parseNumber`. */
export const addNumbers = (a: string, b: string): ReturnType<typeof parseNumber> => {
  if (SMALL.test(a) && SMALL.test(b)) return { number: String(Number(a) + Number(b)) };
  const [first, second, scale] = aligned(a, b);
  return parseNumber(plain({ coefficient: first + second, scale }));
};

export const negate = (number: string): string =>
  number === '0' ? number : number.startsWith('-') ? number.slice(1) : `-${number}`;

/** Returns the bytes that DynamoDB counts for a number. */
export const sizeOfNumber = (text: string): number => {
  const { coefficient, scale } = decimalOf(text) as Decimal;
  if (coefficient === 0n) return 1;
  const all = digitsOf(coefficient);
  const digits = all.replace(/0+$/, '').length;
  const exponent = all.length - 1 - scale;
  return 1 + Math.ceil(digits / 2) + (digits % 2 || exponent % 2 ? 0 : 1) + (coefficient < 0n ? 1 : 0);
};

const decimalOf = (text: string): Decimal | undefined => {
  const [match, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (match === undefined || whole + fraction === '') return undefined;
  const magnitude = BigInt(whole + fraction);
  return { coefficient: sign === '-' ? -magnitude : magnitude, scale: fraction.length - Number(exponent) };
};

const digitsOf = (coefficient: bigint): string => String(coefficient < 0n ? -coefficient : coefficient);

/** Returns the coefficients of two numbers at the same scale, and this scale. */
const aligned = (a: string, b: string): [bigint, bigint, number] => {
  const [first, second] = [decimalOf(a) as Decimal, decimalOf(b) as Decimal];
  const scale = Math.max(first.scale, second.scale);
  const raised = ({ coefficient, scale: from }: Decimal) => coefficient * 10n ** BigInt(scale - from);
  return [raised(first), raised(second), scale];
};

const plain = ({ coefficient, scale }: Decimal): string => {
  if (coefficient === 0n) return '0';
  const digits = digitsOf(coefficient);
  const sign = coefficient < 0n ? '-' : '';
  if (scale <= 0) return sign + digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  const fraction = padded.slice(-scale).replace(/0+$/, '');
  return sign + padded.slice(0, -scale) + (fraction && `.${fraction}`);
};
