import { isIPv6 } from 'node:net'

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** An address as people write it: an IPv4 address that came over IPv6 as the former, and none with a zone. */
export const plainAddress = (address: string): string =>
  address.includes(':') ? (MAPPED_IPV4.exec(address)?.[1] ?? address.replace(/%.*$/, '')) : address

/**
 * The source that requests are counted for: an IPv4 address, or the /64 of an IPv6 address, which is what one customer
 * gets.
 */
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
