import { damagedBackup, truncatedBackup } from './format.ts'

const LINE_BREAK = 10

/** Reads the lines of a backup, in blocks where there are many. */
export class ContentReader {
  readonly #parts: AsyncIterator<Buffer>
  readonly #path: string
  #buffer: Buffer = Buffer.alloc(0)

  constructor(parts: AsyncIterable<Buffer>, path: string) {
    this.#parts = parts[Symbol.asyncIterator]()
    this.#path = path
  }

  /** The next line, which is JSON. */
  async document(): Promise<unknown> {
    let end = this.#buffer.indexOf(LINE_BREAK)
    while (end === -1) {
      if (!(await this.#readMore())) throw truncatedBackup(this.#path)
      end = this.#buffer.indexOf(LINE_BREAK)
    }
    const line = this.#take(end + 1).toString()
    try {
      return JSON.parse(line)
    } catch (error) {
      throw damagedBackup(this.#path, error)
    }
  }

  /** All lines up to this one, which is skipped. */
  async *linesUntil(last: string): AsyncGenerator<Buffer> {
    const [first, later] = [Buffer.from(`${last}\n`), Buffer.from(`\n${last}\n`)]
    for (;;) {
      if (this.#buffer.subarray(0, first.length).equals(first)) break
      const end = this.#buffer.indexOf(later)
      if (end !== -1) {
        yield this.#take(end + 1)
        break
      }
      const whole = this.#buffer.subarray(0, -first.length).lastIndexOf(LINE_BREAK) // the rest may be part of the last
      if (whole !== -1) yield this.#take(whole + 1)
      if (!(await this.#readMore())) throw truncatedBackup(this.#path)
    }
    this.#take(first.length)
  }

  async requireEnd(): Promise<void> {
    if (this.#buffer.length > 0 || (await this.#readMore())) throw damagedBackup(this.#path)
  }

  #take(bytes: number): Buffer {
    const taken = this.#buffer.subarray(0, bytes)
    this.#buffer = this.#buffer.subarray(bytes)
    return taken
  }

  async #readMore(): Promise<boolean> {
    const { value, done } = await this.#parts.next()
    if (done) return false
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value])
    return true
  }
}
