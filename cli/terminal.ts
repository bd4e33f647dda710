import { escapedJson, printable } from '../server/lib/plain-text.ts'

/** The part of `process` that a command uses; tests pass their own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream & { isTTY?: boolean }
  stderr: NodeJS.WritableStream
  env: Readonly<Record<string, string | undefined>>
  /** The command was given `--json`. */
  json?: boolean
}

/** Prints text. Removes control characters, which a name or a header may contain. */
export const print = (stream: NodeJS.WritableStream, words: string) => void stream.write(printable(words))

/** Prints one JSON document with control characters escaped. */
export const printJson = (stream: NodeJS.WritableStream, document: unknown) =>
  void stream.write(`${escapedJson(JSON.stringify(document))}\n`)
