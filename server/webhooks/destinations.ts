import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ip from 'ipaddr.js'
import type { Config } from '../config.ts'
import { isOfThisMachine as isNameOfThisMachine, withoutRootDot } from '../lib/host.ts'
import { createNetworks } from '../lib/network.ts'

/** Addresses that look public and lead to the inside of a cloud. */
const INSIDE_OF_CLOUDS = new Set(['168.63.129.16'])
/** All public addresses of IPv6 are in here: the rest of it is translated, tunnelled, private or unassigned. */
const PUBLIC_IPV6 = ip.parseCIDR('2000::/3') as [ip.IPv6, number]

export interface Destinations {
  allows(address: string, port: number): boolean
  /** Why nothing may be sent to a URL, as far as is known without a lookup; undefined: it may. */
  refusalOf(url: URL): string | undefined
}

/** Public addresses, and those of `WEBHOOK_NETWORKS`; never the portal itself. */
export function createDestinations({
  webhookNetworks,
  baseUrl,
  port: ownPort,
}: Pick<Config, 'webhookNetworks' | 'baseUrl' | 'port'>): Destinations {
  const networks = createNetworks(webhookNetworks)
  const ownPorts = [ownPort, 80, 443, ...(baseUrl ? [portOf(baseUrl)] : [])]
  const isPortal = (host: string, port: number) =>
    baseUrl !== undefined && plainHost(host) === plainHost(baseUrl.hostname) && ownPorts.includes(port)
  function allows(address: string, port: number): boolean {
    if (isPortal(address, port)) return false
    const isOwn = isOfThisMachine(address)
    if (isOwn && port === ownPort) return false
    return networks.contains(address) || (!isOwn && isPublic(address))
  }
  return {
    allows,
    refusalOf(url) {
      if (isPortal(url.hostname, portOf(url))) return ITSELF
      const name = plainHost(url.hostname)
      const host = !isIP(name) && isNameOfThisMachine(name) ? '127.0.0.1' : name
      if (isIP(host)) return allows(host, portOf(url)) ? undefined : NOT_ALLOWED
      return webhookNetworks.length === 0 && PRIVATE_NAME.test(name) ? NOT_ALLOWED : undefined
    },
  }
}

/** A host of a URL as it is compared: an address without brackets, and one of IPv4 not in the form of IPv6. */
function plainHost(hostname: string): string {
  const host = withoutRootDot(hostname).replace(/^\[|\]$/g, '')
  return isIP(host) ? ip.process(host).toString() : host
}

const ITSELF = 'this is the portal itself.'
/** Without a dot, or below a name that no public name server answers for. */
const PRIVATE_NAME = /^[^.]*$|\.(local|internal|intranet|private|corp|home|lan|home\.arpa|localdomain)$/
const NOT_ALLOWED =
  'this address is private or reserved. Deliveries are sent to public addresses only, unless the operator allows others with WEBHOOK_NETWORKS.'

export const portOf = ({ port, protocol }: URL) => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

export function isPublic(text: string): boolean {
  if (!ip.isValid(text)) return false
  const address = ip.process(text) // an IPv4 address in IPv6 form is judged as IPv4
  if (address.range() !== 'unicast' || INSIDE_OF_CLOUDS.has(address.toString())) return false
  return !(address instanceof ip.IPv6) || address.match(PUBLIC_IPV6)
}

function isOfThisMachine(text: string): boolean {
  if (!ip.isValid(text)) return false
  const address = ip.process(text)
  if (address.range() === 'loopback' || address.range() === 'unspecified') return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((each) => ip.process(each.address.split('%')[0] ?? '').toString() === address.toString())
}
