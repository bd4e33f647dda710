import { getSystemErrorMessage } from 'node:util'

/** The code of an error, such as ENOENT; empty: it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What the operating system says about it, such as `permission denied` in place of `EACCES`; otherwise its message. */
export const systemReasonOf = (error: unknown): string =>
  error instanceof Error && 'errno' in error && typeof error.errno === 'number'
    ? getSystemErrorMessage(error.errno)
    : messageOf(error)

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
