const LINE_END = '\r\n'

/** A line of a CSV file, as RFC 4180 has it. */
export const csvLine = (cells: readonly (string | null)[]) => cells.map((text) => cell(text ?? '')).join(',') + LINE_END

/** Anybody can choose a name: it must not run as a formula when the file is opened. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
