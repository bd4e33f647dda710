import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { SECOND } from '../lib/clock.ts'
import { ConcurrencyLimit } from '../lib/concurrency-limit.ts'
import { codeOf } from '../lib/error-text.ts'

/** The system's own lookup occupies a thread that files need as well, for as long as it takes. */
const SYSTEM_LOOKUPS = 2
const PATIENCE_MS = 10 * SECOND
const ONE_TRY_MS = 2 * SECOND
/** The name server has answered that there is no such name, or there is none that can be asked. */
const NO_ANSWER_HERE = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ESERVFAIL', 'EREFUSED'])

export type Resolve = (host: string) => Promise<string[]>

/** Asks name servers without a thread, so that a slow one delays nobody; the system for names they do not know. */
export function createResolve(): Resolve {
  const limit = new ConcurrencyLimit({
    atOnce: SYSTEM_LOOKUPS,
    atOnceOfGroup: 1,
    maxWaiting: 1_000,
    maxWaitingOfGroup: 100,
    patienceMs: PATIENCE_MS,
    refusal: () => new Error('Too many names are being looked up.'),
  })
  const bySystem = (host: string) =>
    limit.run(host, async () => (await systemLookup(host, { all: true })).map(({ address }) => address))
  return async (host) => {
    if (isIP(host)) return [host]
    if (!host.includes('.') || host.endsWith('.localhost')) return bySystem(host)
    try {
      return await byNameServers(host)
    } catch (error) {
      if (NO_ANSWER_HERE.has(codeOf(error))) return bySystem(host)
      throw error
    }
  }
}

async function byNameServers(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: ONE_TRY_MS, tries: 2 })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [v4, v6].flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason
  return found
}
