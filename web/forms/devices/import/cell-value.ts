import { unguarded } from '../../../ui/csv-line.ts'
import type { Field } from './device-fields.ts'

const YES = ['true', 'yes', '1', 'on', 'enabled']
const NO = ['false', 'no', '0', 'off', 'disabled']

/**
 * What a cell of a CSV file says; what makes no sense stays text, for the check to refuse. Undefined: an empty cell of a
 * field that has no empty value.
 */
export function cellValue(field: Field, cell: string): unknown {
  const text = unguarded(cell).trim()
  if (field === 'enabled') return text === '' ? undefined : truthOf(text)
  if (field === 'tags') return tagsOf(text)
  if (text === '') return null
  return field === 'location.latitude' || field === 'location.longitude' ? degreesOf(text) : text
}

function truthOf(text: string): unknown {
  const word = text.toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : text
}

/** `berlin; pilot` or `berlin, pilot`; a list in JSON where a tag has such a character inside. */
function tagsOf(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      // a tag may well begin with a bracket
    }
  }
  return text
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter(Boolean)
}

/** With a decimal comma too, as spreadsheets of many countries write it. */
function degreesOf(text: string): unknown {
  const number = Number(text.replace(',', '.').replace('−', '-'))
  return Number.isFinite(number) ? number : text
}
