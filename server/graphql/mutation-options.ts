import type { IncomingHttpHeaders } from 'node:http'
import type { GraphQLField } from 'graphql'
import { AppError } from '../lib/app-error.ts'

/** How a mutation is to be run: safe to retry, or as a dry run. */
export interface MutationOptions {
  /** The Idempotency-Key header, as it was sent. */
  idempotencyKey: string | undefined
  dryRun: boolean
}

/** Whoever writes it otherwise expects that nothing is done. Other names are those of other servers' extensions. */
const isMisspelt = (name: string) => name !== 'dryRun' && /^dry[\W_]?run$/i.test(name)

/** Undefined: the request has none. */
export function readMutationOptions(
  { 'idempotency-key': header }: IncomingHttpHeaders,
  extensions: Readonly<Record<string, unknown>> | null | undefined,
): MutationOptions | undefined {
  if (Object.keys(extensions ?? {}).some(isMisspelt))
    throw new AppError('BAD_REQUEST', { message: 'extensions: it is spelled dryRun. Nothing was done.' })
  const dryRun = extensions?.['dryRun'] ?? false
  if (typeof dryRun !== 'boolean')
    throw new AppError('BAD_REQUEST', { message: 'extensions.dryRun: true or false.', field: 'extensions.dryRun' })
  if (header === undefined && !dryRun) return undefined
  return { idempotencyKey: header?.toString(), dryRun }
}

/** A field of Mutation, with the effect that it declares. */
export type MutationField = Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>

/** Throws unless each of these mutations supports the options: before any of them runs. */
export function requireSupport(fields: readonly MutationField[], { dryRun }: MutationOptions): void {
  for (const { name, extensions } of fields) {
    const isAboutSecret = extensions.effect === 'GIVES_SECRET' || extensions.effect === 'TAKES_SECRET'
    if (!dryRun || !isAboutSecret) continue
    const why = extensions.effect === 'GIVES_SECRET' ? ': its secret would work nowhere' : ''
    const message = `${name} does not support a dry run${why}. Nothing was done: send it without dryRun.`
    throw new AppError('BAD_REQUEST', { message })
  }
}

/** Whether it takes access away: then it also works on a full disk, and beyond the bytes of an organization. */
export const endsAccess = ({ extensions: { effect } }: MutationField): boolean =>
  effect === 'ENDS_ACCESS' || effect === 'TAKES_SECRET'
