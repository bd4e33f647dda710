import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net'
import { badInput } from './check.ts'

const MAX_NETWORKS = 100
const PREFIX = /^(0|[1-9]\d{0,2})$/
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/
const DOTTED_END = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/

type Family = 'ipv4' | 'ipv6'

/** Networks to be asked for addresses. */
export interface Networks {
  readonly list: readonly string[]
  /** An address that cannot be read is in none of them. An IPv4 address stays one when it is written as IPv6. */
  hold(address: string): boolean
}

/** From networks that were checked before. The families are kept apart, so that ::/0 holds no IPv4 address. */
export function createNetworks(list: readonly string[]): Networks {
  const blocks = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of list) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    blocks[family].addSubnet(address, Number(prefix), family)
  }
  return {
    list,
    hold(address) {
      if (isIPv4(address)) return blocks.ipv4.check(address, 'ipv4')
      const [plain = ''] = address.split('%') // on which link it came is not asked
      if (!isIPv6(plain)) return false
      const written = canonical(plain)
      const mapped = MAPPED_IPV4.exec(written)?.[1]
      return mapped === undefined ? blocks.ipv6.check(written, 'ipv6') : blocks.ipv4.check(mapped, 'ipv4')
    },
  }
}

/** Each network in the one form under which it is stored and compared: `10.0.0.0/8`, `2001:db8::/32`. */
export function checkNetworks(field: string, list: readonly string[]): string[] {
  if (list.length > MAX_NETWORKS) throw badInput(field, `${field}: at most ${MAX_NETWORKS} networks.`)
  const checked = list.map((text, index) => checkNetwork(field, text.trim(), index + 1))
  const twice = checked.findIndex((network, index) => checked.indexOf(network) < index)
  if (twice >= 0) throw badInput(field, `${field}: number ${twice + 1} is there twice.`)
  return checked
}

function checkNetwork(field: string, text: string, number: number): string {
  const refuse = (says: string) => badInput(field, `${field}: number ${number} ${says}`)
  const [address = '', prefix, ...more] = text.split('/')
  const family = familyOf(address)
  if (!family || more.length > 0) {
    throw refuse('is no network: give an address or a range such as 10.0.0.0/8 or 2001:db8::/32.')
  }
  const most = family === 'ipv4' ? 32 : 128
  if (prefix !== undefined && !(PREFIX.test(prefix) && Number(prefix) <= most)) {
    throw refuse(`needs a prefix of 0 to ${most} behind the slash.`)
  }
  const length = prefix === undefined ? most : Number(prefix)
  const written = canonical(address, family)
  if (MAPPED_IPV4.test(written)) throw refuse('is an IPv4 network in IPv6 form: write it as IPv4.')
  // 10.0.0.1/8 may be meant as one address or as sixteen million: whoever wrote it has to say.
  if (BigInt.asUintN(most - length, bitsOf(written)) !== 0n) {
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

function bitsOf(address: string): bigint {
  if (isIPv4(address)) return fold(address.split('.').map(Number), 8n)
  const inGroups = address.replace(DOTTED_END, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail = ''] = inGroups.split('::')
  const left = groupsOf(head)
  const right = groupsOf(tail)
  return fold([...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right], 16n)
}

const groupsOf = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))

const fold = (parts: number[], width: bigint) => parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n)
