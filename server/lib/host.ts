import { createNetworks } from './network.ts'

export const LOOPBACK = createNetworks(['127.0.0.0/8', '::1/128'])

/** A host or an origin without the dot of the root at the end of its name: `portal.example.com.:443` is the same host. */
export const withoutRootDot = (host: string) => host.replace(/(?<!\.)\.+(?=(:\d+)?$)/, '') // each run is looked at once

const NAMES_OF_THIS_MACHINE =
  /^(.*\.localhost|localhost([46]?|\.localdomain|[46]\.localdomain[46])|ip6-(localhost|loopback))$/

/** Whether a host name, as a URL has it, means the machine that looks it up. */
export function isOfThisMachine(hostname: string): boolean {
  const name = withoutRootDot(hostname.toLowerCase())
  return NAMES_OF_THIS_MACHINE.test(name) || LOOPBACK.contains(name.replace(/^\[|\]$/g, ''))
}
