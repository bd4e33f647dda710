import { once } from 'node:events'
import { createWriteStream, linkSync, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { OperatorError } from '../server/lib/app-error.ts'

/** Writes a part, and waits while the reader is slower. */
export async function writePart(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain')
}

/**
 * Creates a file that only its owner may read, all of it or nothing: until everything is on disk it has another name.
 * An existing file is never replaced.
 */
export async function writeNewFile(
  path: string,
  write: (stream: NodeJS.WritableStream) => Promise<void>,
): Promise<void> {
  const partial = `${path}.partial-${process.pid}`
  const stream = createWriteStream(partial, { mode: 0o600, flags: 'wx', flush: true })
  const done = finished(stream)
  done.catch(() => {}) // it is awaited below
  try {
    await Promise.race([write(stream), done])
    stream.end()
    await done
    linkSync(partial, path) // fails if it exists
  } catch (error) {
    stream.destroy()
    throw cannotWrite(path, error)
  } finally {
    rmSync(partial, { force: true })
  }
}

function cannotWrite(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error // not of the file
  return error.code === 'EEXIST'
    ? new OperatorError(`The file ${path} exists already: give another name, or remove it.`, error)
    : new OperatorError(`The file ${path} cannot be written (${error.code}): check its folder and the disk.`, error)
}
