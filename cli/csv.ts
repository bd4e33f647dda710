const LINE_END = '\r\n'

/** A line of a CSV file, as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | null)[]) => cells.map((text) => cell(text ?? '')).join(',') + LINE_END

/** At the beginning, and after what a spreadsheet may take for the end of a cell or a line: as web/ui/csv-line.ts. */
const FORMULA = /(?<=^|[;\t\r\n])(?=['"\v\f\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r＝＋－＠﹦﹢﹣﹫])/gu

/** Anybody can choose a name: it must not run as a formula when the file is opened. */
function cell(text: string): string {
  const harmless = text.replace(FORMULA, "'")
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
