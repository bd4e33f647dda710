/** Something wrong with one line of a file. */
export interface LineError {
  line: number
  /** As the portal names it: `location.latitude`. Absent: the line as a whole. */
  field?: string
  message: string
}

/** The file cannot be read any further: what follows the line could mean anything. */
export class FileError extends Error {
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.name = 'FileError'
    this.line = line
  }
}
