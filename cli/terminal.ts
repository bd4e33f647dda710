import { escapedJson, printable } from '../server/lib/plain-text.ts'

/** What a command has of the process that it runs in. The command line has `process` itself; a test has one of its own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  env: Readonly<Record<string, string | undefined>>
}

/** Prints words for people. Whatever a stranger has put into a name or a header, it steers no terminal. */
export const print = (stream: NodeJS.WritableStream, words: string) => void stream.write(printable(words))

/** Prints one JSON document, its control characters as escapes. */
export const printJson = (stream: NodeJS.WritableStream, document: unknown) =>
  void stream.write(`${escapedJson(JSON.stringify(document))}\n`)
