import { type DestinationStream, type Logger, pino } from 'pino'
import { escapedJson, REDACTED, withoutSecrets } from './plain-text.ts'

export type Log = Logger

const NEVER_LOGGED = ['password', 'newPassword', 'secret', 'token', 'cookie', 'authorization', 'api-secret']

/**
 * JSON lines. Secrets are redacted twice: by the name of their field, and by their format in the finished line. Control
 * characters are escaped, so that a line is safe to print on a terminal. Each line names the worker, if there are several.
 */
export function createLog(level: string, destination?: DestinationStream, worker?: number): Log {
  return pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: NEVER_LOGGED.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: REDACTED },
      hooks: { streamWrite: (line) => escapedJson(withoutSecrets(line)) },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  )
}
