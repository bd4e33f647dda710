import { type Config, isEveryAddress } from '../config.ts'
import type { SeenHeaders } from '../http/seen-headers.ts'
import { type Check, type Finding, failure, orSuccess, success, warning } from './check.ts'
import { FORGED_ADDRESS, localUrl, seenAt } from './public-address.ts'

const SEE = 'See "Reverse proxy" in docs/operations.md.'

/** What proxies do to the headers of a request, and whether `TRUST_PROXY` fits. Sends a forged address. */
export const proxy: Check = {
  name: 'proxy',
  async run(installation) {
    const { config } = installation
    const url = config.baseUrl ?? localUrl(config)
    const seen = url && (await seenAt(url, installation))
    if (!seen) return unseen(config)
    return orSuccess(
      [...keyFindings(seen), ...(config.trustProxy === false ? untrusted(seen) : trusted(seen, config))],
      config.trustProxy === false
        ? 'There is no proxy, and none is trusted.'
        : 'The proxy replaces the address of callers, as it should.',
    )
  },
}

function unseen({ trustProxy, host }: Config): Finding[] {
  if (trustProxy === true && isEveryAddress(host))
    return [
      warning(
        'TRUST_PROXY is on and the portal listens on all addresses: whoever reaches its port without the proxy can choose their address.',
        'Set TRUST_PROXY to the addresses of the proxies, or HOST to one that only they reach.',
      ),
    ]
  return [success('Not checked: the portal is not running, or cannot be reached.')]
}

const keyFindings = ({ hasApiSecret }: SeenHeaders): Finding[] =>
  hasApiSecret
    ? []
    : [failure('The proxy removes the header api-secret: no key works.', 'Let it pass on this header, and not log it.')]

/** Without a proxy, the header arrives as it was sent. */
function untrusted({ forwardedFor, connection }: SeenHeaders): Finding[] {
  if (forwardedFor === FORGED_ADDRESS) return []
  return [
    failure(
      `There is a proxy, and TRUST_PROXY is off: every caller seems to have its address, ${connection}, so limits count all of them together and networks of keys do not match.`,
      `Set TRUST_PROXY=${connection}. ${SEE}`,
    ),
  ]
}

function trusted(
  { address, connection, forwardedFor, forwardedProto }: SeenHeaders,
  { baseUrl, trustProxy }: Config,
): Finding[] {
  if (address === FORGED_ADDRESS)
    return [
      failure(
        'Callers can choose their address: TRUST_PROXY is set, and nothing replaces the header X-Forwarded-For that they send.',
        `Let the proxy replace the header, or set TRUST_PROXY=off if there is none. ${SEE}`,
      ),
    ]
  if (forwardedFor === null || (forwardedFor === FORGED_ADDRESS && trustProxy === true))
    return [
      failure(
        'TRUST_PROXY is set, but no X-Forwarded-For arrives: every caller seems to have the address of the proxy.',
        `Let the proxy set X-Forwarded-For. ${SEE}`,
      ),
    ]
  if (address === connection && forwardedFor !== connection)
    return [
      failure(
        `The proxy at ${connection} is not one of TRUST_PROXY: every caller seems to have its address.`,
        `Add ${connection} to TRUST_PROXY.`,
      ),
    ]
  if (baseUrl?.protocol === 'https:' && forwardedProto !== 'https')
    return [
      warning(
        'BASE_URL is https, but the proxy does not send X-Forwarded-Proto: https.',
        `Let the proxy set it. ${SEE}`,
      ),
    ]
  return []
}
