import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../lib/app-error.ts'

/** What a request asks for beside its operation. */
export interface Asked {
  /** The Idempotency-Key header, as it was sent. */
  idempotencyKey: string | undefined
  dryRun: boolean
}

/** Undefined: nothing, as nearly always. */
export function askedBy(
  { 'idempotency-key': header }: IncomingHttpHeaders,
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): Asked | undefined {
  if (header === undefined && extensions == null) return undefined
  const dryRun = extensions?.['dryRun'] ?? false
  if (typeof dryRun !== 'boolean')
    throw new AppError('BAD_REQUEST', { message: 'extensions.dryRun: true or false.', field: 'extensions.dryRun' })
  if (header === undefined && !dryRun) return undefined
  return { idempotencyKey: typeof header === 'string' ? header : header?.join(), dryRun }
}
