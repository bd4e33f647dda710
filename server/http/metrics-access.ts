import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { AppError } from '../lib/app-error.ts'
import { isOfThisMachine, LOOPBACK } from '../lib/host.ts'

/** Headers that proxies add: a request through a proxy comes from elsewhere, even if the proxy is on this machine. */
const ADDED_BY_PROXIES = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

interface MetricsRequest {
  /** The address of the connection itself. */
  address: string | undefined
  headers: IncomingHttpHeaders
}

/** Metrics need `METRICS_TOKEN`; where none is set, they are served to this machine only. */
export function requireMetricsReader(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  { address, headers }: MetricsRequest,
): void {
  if (metricsToken !== undefined) {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (given !== undefined && timingSafeEqual(digest(given), digest(metricsToken))) return
    throw new AppError('UNAUTHENTICATED', {
      message: 'Send METRICS_TOKEN as in Authorization: Bearer TOKEN.',
      challenge: 'Bearer realm="metrics"',
    })
  }
  const isThroughProxy = Object.keys(headers).some((name) => ADDED_BY_PROXIES.test(name))
  if (LOOPBACK.contains(address ?? '') && !isThroughProxy && isForThisMachine(headers.host)) return
  throw new AppError('FORBIDDEN', {
    message:
      'Metrics are for the machine that the portal runs on, at its loopback address or localhost. For others set METRICS_TOKEN there, and send it as in Authorization: Bearer TOKEN.',
  })
}

/** A page of another site may have pointed its own name at this machine: a browser here then asks for that name. */
const isForThisMachine = (host: string | undefined) =>
  host === undefined || (URL.canParse(`http://${host}`) && isOfThisMachine(new URL(`http://${host}`).hostname))

/** All digests have the same length. */
const digest = (text: string) => hash('sha256', text, 'buffer')
