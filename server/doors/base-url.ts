import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Where links begin: the portal's own address, or the one under which this caller has reached it. */
export function baseUrlOf({ protocol, host }: FastifyRequest, { baseUrl }: Config): string {
  return baseUrl ? baseUrl.origin : `${protocol}://${host}`
}
