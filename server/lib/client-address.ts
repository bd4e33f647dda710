import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** The client's IP address, as people write it: that of the connection, or as reported by trusted proxies. */
export type ClientAddress = (request: IncomingMessage) => string

/** Uses Fastify's rules, as on the other routes. A request never decides what the portal's own address is. */
export function createClientAddress({ trustProxy }: { trustProxy: boolean | string[] }): ClientAddress {
  if (trustProxy === false) return ({ socket }) => plainAddress(socket.remoteAddress ?? '')
  const isTrusted = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  return (request) => plainAddress(proxyAddr(request, isTrusted) ?? '') // a connection that was reset has none
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** An address as people write it: an IPv4 address that came over IPv6 as the former, and none with a zone. */
export const plainAddress = (address: string): string =>
  address.includes(':') ? (MAPPED_IPV4.exec(address)?.[1] ?? address.replace(/%.*$/, '')) : address

/** The source that requests are counted for: an IPv4 address, or the /64 of an IPv6 address, which is what one customer gets. */
export function sourceOf(address: string): string {
  const plain = plainAddress(address)
  return isIPv6(plain) ? networkOf(plain) : plain
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const left = groupsOf(head)
  const right = groupsOf(tail ?? '')
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
