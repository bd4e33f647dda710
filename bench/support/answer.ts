import type { Expected } from './message.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i

/** Checks whether the bytes so far are a complete response: undefined if more must come, throws if it is wrong. */
export function createAnswerCheck({ status, body, exact }: Expected): (bytes: Buffer) => true | undefined {
  const wanted = Buffer.from(body)
  const statusLine = Buffer.from(`HTTP/1.1 ${status} `)
  /** The usual case, found without reading the head: the expected body ends with the last byte. */
  const isAsExpected = (bytes: Buffer, start: number) =>
    exact &&
    bytes.length - start === wanted.length &&
    bytes.compare(wanted, 0, wanted.length, start) === 0 &&
    bytes.compare(statusLine, 0, statusLine.length, 0, statusLine.length) === 0
  return (bytes) => {
    const headEnd = bytes.indexOf(HEAD_END)
    if (headEnd < 0) return undefined
    if (isAsExpected(bytes, headEnd + HEAD_END.length)) return true
    const head = bytes.toString('latin1', 0, headEnd)
    const content = contentOf(bytes, head, headEnd + HEAD_END.length)
    if (!content) return undefined
    const isRight =
      head.startsWith(`HTTP/1.1 ${status} `) &&
      (exact ? content.equals(wanted) : content.subarray(0, wanted.length).equals(wanted))
    if (!isRight) throw new Error(`A wrong answer: ${head.split('\r\n', 1)[0]}, ${content.subarray(0, 300)}`)
    return true
  }
}

function contentOf(bytes: Buffer, head: string, start: number): Buffer | undefined {
  const length = LENGTH.exec(head)?.[1]
  if (length !== undefined) {
    const end = start + Number(length)
    return bytes.length < end ? undefined : bytes.subarray(start, end)
  }
  if (!CHUNKED.test(head)) throw new Error(`An answer without a length: ${head}`)
  const isBodyBuffered = bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  return isBodyBuffered ? joinChunks(bytes.subarray(start)) : undefined
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const sizeEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, sizeEnd), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(sizeEnd + 2, sizeEnd + 2 + size))
    at = sizeEnd + 2 + size + 2
  }
}
