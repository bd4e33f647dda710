import { SECOND } from '../lib/clock.ts'
import { valkeyAddress } from '../lib/valkey-address.ts'
import { type Check, type Finding, failure, orSuccess, success, warning } from './check.ts'

const OLDEST = 6
/** Whatever it deletes: a counter of a limit that is still counting. */
const EVICTS_ANY = /^allkeys-/

/** Whether replicas can count together. */
export const valkey: Check = {
  name: 'Valkey',
  async run({ config: { valkeyUrl, postgres } }) {
    if (!valkeyUrl)
      return [
        success(
          `VALKEY_URL is not set: each process counts for itself${postgres ? ', so replicas multiply the limits' : ''}.`,
        ),
      ]
    try {
      return findingsOf(await infoOf(valkeyUrl))
    } catch (error) {
      return [
        failure(
          `Valkey cannot be used (${reasonOf(error)}): each process counts for itself.`,
          'Check VALKEY_URL, and whether the server is running.',
        ),
      ]
    }
  },
}

async function infoOf(url: URL): Promise<Map<string, string>> {
  const { Redis } = await import('ioredis') // only where there is one
  const client = new Redis({
    ...valkeyAddress(url),
    protocol: 2,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 3 * SECOND,
    commandTimeout: 3 * SECOND,
  })
  let cause: unknown // the call that fails says only that the connection is closed
  client.on('error', (error) => {
    cause ??= error
  })
  try {
    await client.connect()
    const info = await client.info()
    return new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string])) // lines such as role:master
  } catch (error) {
    throw cause ?? error
  } finally {
    client.disconnect()
  }
}

function findingsOf(info: Map<string, string>): Finding[] {
  const version = info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown'
  const policy = info.get('maxmemory_policy') ?? 'noeviction'
  return orSuccess(
    [
      ...(Number.parseInt(version, 10) < OLDEST
        ? [warning(`Its version is ${version}.`, `Use ${OLDEST} or newer: older ones are not tested.`)]
        : []),
      ...(info.get('role') === 'slave'
        ? [failure('VALKEY_URL leads to a replica, which accepts no writes.', 'Name the primary.')]
        : []),
      ...(EVICTS_ANY.test(policy) && info.get('maxmemory') !== '0'
        ? [
            warning(
              `maxmemory-policy is ${policy}: when memory is short, it deletes counters that still count.`,
              'config set maxmemory-policy volatile-ttl',
            ),
          ]
        : []),
    ],
    `Version ${version}, ${policy}.`,
  )
}

/** A code if there is one: a message may repeat what was sent, such as a password. */
const reasonOf = (error: unknown) => {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.message.replace(/^([A-Z]+)\s.*/s, '$1')
}
