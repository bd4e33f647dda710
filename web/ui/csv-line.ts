const LINE_END = '\r\n'
/** Without it a spreadsheet takes the file for one of its own country's old encodings. */
const BYTE_ORDER_MARK = '\uFEFF'

/** The first line of a file. */
export const csvHead = (headings: readonly string[]) => BYTE_ORDER_MARK + csvLine(headings)

/** One line, as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | number | null)[]) =>
  cells.map((value) => (typeof value === 'number' ? String(value) : cell(value ?? ''))).join(',') + LINE_END

/**
 * Where a spreadsheet may see a formula: at the beginning, and after what it may take for the end of a cell or a line,
 * since one that splits at semicolons does not see quotes in the middle; blanks and what is invisible may be before it.
 * What has an apostrophe there already gets another, so that whoever reads the file takes one away and has what was there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=['"\v\f\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫])/gu
const GUARDED = /(?<=^|[;\t\r\n])'(?=['"\v\f\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫])/gu

/** A text as it was before `csvLine`. */
export const unguarded = (text: string) => text.replace(GUARDED, '')

/** Anybody can choose a name: it must not run as a formula when the file is opened. */
function cell(text: string): string {
  const harmless = text.replace(FORMULA, "'")
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
