import { AppError, OperatorError } from './app-error.ts'
import { SECOND } from './clock.ts'

const RETRY_AFTER_MS = 30 * SECOND

export const diskFull = (path: string, cause?: unknown) =>
  new OperatorError(`The disk that holds ${path} is full: make room on it.`, cause)

/** Something could not be saved for lack of room on the disk. The path is for the log alone. */
export class DiskFullError extends AppError {
  constructor(path: string, error?: unknown) {
    super('UNAVAILABLE', {
      message:
        'The disk of the portal is full. Signing in and revoking keys still work; nothing else can be saved until the operator makes room.',
      retryAfterSeconds: RETRY_AFTER_MS / SECOND,
      cause: diskFull(path, error),
    })
  }
}
