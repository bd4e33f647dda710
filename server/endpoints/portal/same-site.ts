import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { AppError } from '../../lib/app-error.ts'
import { withoutRootDot } from '../../lib/host.ts'

const OWN = new Set(['same-origin', 'none'])

/** Refuses what a browser sends on behalf of another site. A script that sends no origin is accepted. */
export function requireSameSite(request: FastifyRequest, { baseUrl }: Pick<Config, 'baseUrl'>): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const fromElsewhere = typeof site === 'string' && !OWN.has(site)
  if (fromElsewhere || (origin !== undefined && !isOwn(origin, request.host, baseUrl))) {
    throw new AppError('FORBIDDEN', { message: 'Requests from other sites are refused.' })
  }
}

function isOwn(origin: string, host: string, baseUrl: URL | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  if (baseUrl) return withoutRootDot(from.origin) === baseUrl.origin
  return withoutRootDot(from.host) === withoutRootDot(host.toLowerCase())
}
