import { HOUR, MINUTE, SECOND } from '../server/lib/clock.ts'

const KB = 1000
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `1,234,567`. */
export const numberInWords = (number: number) => number.toLocaleString('en-US')

/** `12.3 MB`. */
export function sizeInWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / KB ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}

/** `45 s`, `12 min` or `3 h`. */
export function lengthInWords(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.ceil(ms / SECOND)} s`
  return ms < 2 * HOUR ? `${Math.ceil(ms / MINUTE)} min` : `${Math.ceil(ms / HOUR)} h`
}
