import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../lib/app-error.ts'

/** How a mutation is to be run: safe to retry, or as a dry run. */
export interface MutationOptions {
  /** The Idempotency-Key header, as it was sent. */
  idempotencyKey: string | undefined
  dryRun: boolean
}

/** Whoever writes it otherwise expects that nothing is done. Other names are those of other servers' extensions. */
const isMisspelt = (name: string) => name !== 'dryRun' && /^dry[\W_]?run$/i.test(name)

/** Undefined: the request has none, as nearly always. */
export function readMutationOptions(
  { 'idempotency-key': header }: IncomingHttpHeaders,
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): MutationOptions | undefined {
  if (header === undefined && extensions == null) return undefined
  if (Object.keys(extensions ?? {}).some(isMisspelt))
    throw new AppError('BAD_REQUEST', { message: 'extensions: it is spelled dryRun. Nothing was done.' })
  const dryRun = extensions?.['dryRun'] ?? false
  if (typeof dryRun !== 'boolean')
    throw new AppError('BAD_REQUEST', { message: 'extensions.dryRun: true or false.', field: 'extensions.dryRun' })
  if (header === undefined && !dryRun) return undefined
  return { idempotencyKey: header?.toString(), dryRun }
}
