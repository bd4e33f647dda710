import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net'
import ip from 'ipaddr.js'
import { badInput } from './check.ts'

export const MAX_NETWORKS = 100
const PREFIX = /^(0|[1-9]\d{0,2})$/
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

type Family = 'ipv4' | 'ipv6'

export interface Networks {
  readonly list: readonly string[]
  /** An address that cannot be parsed is in none of them. An IPv4-mapped IPv6 address counts as IPv4. */
  contains(address: string): boolean
}

/** From checked networks. The two families are separate, so ::/0 contains no IPv4 address. */
export function createNetworks(list: readonly string[]): Networks {
  const blocks = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of list) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    blocks[family].addSubnet(address, Number(prefix), family)
  }
  return {
    list,
    contains(address) {
      if (isIPv4(address)) return blocks.ipv4.check(address, 'ipv4')
      const [plain = ''] = address.split('%') // ignores the zone
      if (!isIPv6(plain)) return false
      const written = canonical(plain)
      const mapped = MAPPED_IPV4.exec(written)?.[1]
      return mapped === undefined ? blocks.ipv6.check(written, 'ipv6') : blocks.ipv4.check(mapped, 'ipv4')
    },
  }
}

/** Whether each of these checked networks lies in one of the others. */
export const areWithin = (list: readonly string[], others: readonly string[]): boolean =>
  list.every((network) => others.some((other) => isWithin(network, other)))

function isWithin(network: string, other: string): boolean {
  const [address, prefix] = ip.parseCIDR(network)
  const [otherAddress, otherPrefix] = ip.parseCIDR(other)
  return address.kind() === otherAddress.kind() && prefix >= otherPrefix && address.match(otherAddress, otherPrefix)
}

/** Each network in the canonical form in which it is stored and compared: `10.0.0.0/8`, `2001:db8::/32`. */
export function checkNetworks(field: string, list: readonly string[]): string[] {
  if (list.length > MAX_NETWORKS) throw badInput(field, `${field}: at most ${MAX_NETWORKS} networks.`)
  const checked = list.map((text, index) => checkNetwork(field, text.trim(), index + 1))
  const twice = checked.findIndex((network, index) => checked.indexOf(network) < index)
  if (twice >= 0) throw badInput(field, `${field}: entry ${twice + 1} is there twice.`)
  return checked
}

function checkNetwork(field: string, text: string, number: number): string {
  const refuse = (message: string) => badInput(field, `${field}: entry ${number} ${message}`)
  const [address = '', prefix, ...more] = text.split('/')
  const family = familyOf(address)
  if (!family || more.length > 0) {
    throw refuse('is not a network: give an address or a range such as 10.0.0.0/8 or 2001:db8::/32.')
  }
  const most = family === 'ipv4' ? 32 : 128
  if (prefix !== undefined && !(PREFIX.test(prefix) && Number(prefix) <= most)) {
    throw refuse(`needs a prefix of 0 to ${most} behind the slash.`)
  }
  const length = prefix === undefined ? most : Number(prefix)
  const written = canonical(address, family)
  if (MAPPED_IPV4.test(written)) throw refuse('is an IPv4 network in IPv6 form: write it as IPv4.')
  // 10.0.0.1/8 may be meant as one address or as sixteen million, so it is refused.
  if (!isFirstAddress(written, length)) {
    throw refuse(
      'has bits set beyond its prefix: give the first address of the network, or one address without a slash.',
    )
  }
  return `${written}/${length}`
}

function familyOf(address: string): Family | undefined {
  if (isIPv4(address)) return 'ipv4'
  return isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined
}

const canonical = (address: string, family: Family = 'ipv6') => new SocketAddress({ address, family }).address

function isFirstAddress(address: string, prefix: number): boolean {
  const family = isIPv4(address) ? ip.IPv4 : ip.IPv6
  return `${family.networkAddressFromCIDR(`${address}/${prefix}`)}` === `${family.parse(address)}`
}
