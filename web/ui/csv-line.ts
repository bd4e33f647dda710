const LINE_END = '\r\n'
/** Without it a spreadsheet takes the file for one of its own country's old encodings. */
const BYTE_ORDER_MARK = '\uFEFF'

/** The first line of a file. */
export const csvHead = (headings: readonly string[]) => BYTE_ORDER_MARK + csvLine(headings)

/** One line, as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | number | null)[]) =>
  cells.map((value) => (typeof value === 'number' ? String(value) : cell(value ?? ''))).join(',') + LINE_END

/**
 * Anybody can choose a name: it must not run as a formula when the file is opened. What has such an apostrophe already gets
 * another, so that whoever reads the file takes one away and has what was there.
 */
function cell(text: string): string {
  const harmless = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
