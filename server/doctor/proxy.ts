import { type Config, isEveryAddress } from '../config.ts'
import type { SeenHeaders } from '../http/seen-headers.ts'
import { FORGED_ADDRESS, seenAt } from './public-address.ts'
import { type Finding, type Found, failure, type Installation, orSuccess, success, warning } from './result.ts'

const SEE = 'See "Reverse proxy" in docs/operations.md.'

/** What proxies do to the headers of a request, and whether `TRUST_PROXY` fits. Sends a forged address. */
export async function proxy(installation: Installation): Promise<Found> {
  const { config } = installation
  const seen = config.baseUrl && (await seenAt(config.baseUrl, installation))
  if (!seen) return unseen(config)
  return orSuccess(
    [withoutKey(seen), config.trustProxy === false ? untrusted(seen) : trusted(seen, config)],
    config.trustProxy === false
      ? 'No proxy is seen, and none is trusted.'
      : 'The proxy sets the address of callers, and is trusted.',
  )
}

/** Without a public address it is not known how callers get here. */
function unseen({ trustProxy, host }: Config): Finding {
  if (trustProxy === true && isEveryAddress(host))
    return warning(
      'TRUST_PROXY is on and the portal listens on all addresses: whoever reaches its port without the proxy can choose their address.',
      'Set TRUST_PROXY to the addresses of the proxies, or HOST to one that only they reach.',
    )
  return success('Not checked: BASE_URL is not set, or does not lead to this portal.')
}

const withoutKey = ({ hasApiSecret }: SeenHeaders): Found =>
  !hasApiSecret &&
  failure('The proxy removes the header api-secret: no key works.', 'Let it pass on this header, and not log it.')

/** Without a proxy, the header arrives as it was sent. */
function untrusted({ forwardedFor, connection }: SeenHeaders): Found {
  if (forwardedFor === FORGED_ADDRESS) return []
  const proxyAddress = connection.replace(/^::ffff:/, '')
  return failure(
    `There is a proxy, and TRUST_PROXY is off: every caller seems to have its address, ${proxyAddress}, so limits count all of them together and networks of keys do not match.`,
    `Set TRUST_PROXY=${proxyAddress}. ${SEE}`,
  )
}

function trusted(seen: SeenHeaders, { baseUrl, trustProxy }: Config): Found {
  const { address, connection, forwardedFor, forwardedProto } = seen
  if (address === FORGED_ADDRESS) return forgeable(forwardedFor, trustProxy)
  if (forwardedFor === null)
    return failure(
      'TRUST_PROXY is set, but no X-Forwarded-For arrives: every caller seems to have the address of the proxy.',
      `Let the proxy set X-Forwarded-For. ${SEE}`,
    )
  if (address === connection && forwardedFor !== connection)
    return failure(
      `The proxy at ${connection} is not one of TRUST_PROXY: every caller seems to have its address.`,
      `Add ${connection} to TRUST_PROXY.`,
    )
  if (baseUrl?.protocol === 'https:' && forwardedProto !== 'https')
    return warning(
      'BASE_URL is https, but the proxy does not send X-Forwarded-Proto: https.',
      `Let the proxy set it. ${SEE}`,
    )
  return []
}

/** What a trusted proxy adds may be the address of this machine. If that is trusted too, what it sent before counts. */
function forgeable(forwardedFor: string | null, trustProxy: Config['trustProxy']): Finding {
  if (Array.isArray(trustProxy) && forwardedFor !== FORGED_ADDRESS)
    return warning(
      'The proxy appends to the header X-Forwarded-For, and the address of this machine is one of TRUST_PROXY: whether others can choose their address cannot be told from here.',
      `Let the proxy replace the header, or run this on a machine that is not trusted. ${SEE}`,
    )
  return failure(
    'Callers can choose their address: TRUST_PROXY is set, and nothing replaces the header X-Forwarded-For that they send.',
    `Let the proxy replace the header, or set TRUST_PROXY=off if there is none. ${SEE}`,
  )
}
