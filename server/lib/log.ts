import { type DestinationStream, type Logger, pino } from 'pino'
import { escapedJson, REDACTED, withoutSecrets } from './plain-text.ts'

export type Log = Logger

const NEVER_LOGGED = ['password', 'newPassword', 'secret', 'token', 'cookie', 'authorization', 'api-secret']

/** Secrets are redacted twice, by the name of their field and by their format; control characters are escaped for terminals. */
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
