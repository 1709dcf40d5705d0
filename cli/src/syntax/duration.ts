import { UsageError } from './define.js';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds in the value of a flag that takes a time. */
export function secondsIn(flag: string, text: string): number {
  const [, number, unit] = /^([1-9][0-9]{0,8})([smhd])$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) {
    throw new UsageError(`--${flag} takes a number with s, m, h or d: 1h`);
  }
  return Number(number) * UNITS[unit]!;
}
