import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../lib/app-error.ts'

/** What a request asks for beside its operation. */
export interface Asked {
  /** The Idempotency-Key header, as it was sent. */
  idempotencyKey: string | undefined
  dryRun: boolean
}

/** Whoever writes it otherwise expects that nothing is done. Other names are those of other servers' extensions. */
const isMisspelt = (name: string) => name !== 'dryRun' && /^dry[\W_]?run$/i.test(name)

/** Undefined: nothing, as nearly always. */
export function askedBy(
  { 'idempotency-key': header }: IncomingHttpHeaders,
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): Asked | undefined {
  if (header === undefined && extensions == null) return undefined
  if (Object.keys(extensions ?? {}).some(isMisspelt))
    throw new AppError('BAD_REQUEST', { message: 'extensions: it is spelled dryRun. Nothing was done.' })
  const dryRun = extensions?.['dryRun'] ?? false
  if (typeof dryRun !== 'boolean')
    throw new AppError('BAD_REQUEST', { message: 'extensions.dryRun: true or false.', field: 'extensions.dryRun' })
  if (header === undefined && !dryRun) return undefined
  return { idempotencyKey: typeof header === 'string' ? header : header?.join(), dryRun }
}
