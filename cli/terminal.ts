/** What a command has of the process that it runs in. The command line has `process` itself; a test has one of its own. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  env: Readonly<Record<string, string | undefined>>
}
