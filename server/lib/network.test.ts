import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { AppError } from './app-error.ts'
import { checkNetworks, createNetworks } from './network.ts'

function refusalOf(list: string[]): AppError {
  try {
    checkNetworks('allowedNetworks', list)
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error(`Not refused: ${list}`)
}

describe('a list of networks', () => {
  it('is stored in canonical form, an address as a network of one', () => {
    const given = ['10.0.0.0/8', ' 192.0.2.7 ', '2001:DB8:0:0::/32', '2001:db8::1', '0.0.0.0/0', '::/0', '::1.2.3.4']
    expect(checkNetworks('allowedNetworks', given)).toEqual([
      '10.0.0.0/8',
      '192.0.2.7/32',
      '2001:db8::/32',
      '2001:db8::1/128',
      '0.0.0.0/0',
      '::/0',
      '::1.2.3.4/128',
    ])
    expect(checkNetworks('allowedNetworks', [])).toEqual([])
  })

  it.each([
    ['a prefix that is too long', '10.0.0.0/40'],
    ['one that is too long for IPv6', '2001:db8::/129'],
    ['a negative one', '10.0.0.0/-1'],
    ['one with a zero before it', '10.0.0.0/08'],
    ['none behind the slash', '10.0.0.0/'],
    ['a mask in place of it', '10.0.0.0/255.0.0.0'],
    ['two of them', '10.0.0.0/8/8'],
    ['bits beyond it', '10.0.0.1/8'],
    ['bits beyond it in IPv6', '2001:db8::1/64'],
    ['bits beyond it in the last four bytes, written as IPv4', '::1.2.3.4/120'],
    ['a zone', 'fe80::1%eth0'],
    ['a name', 'localhost'],
    ['nothing', ''],
    ['blanks', '  '],
    ['blanks inside', '10.0.0.0 /8'],
    ['a short address', '10.1'],
    ['an octal one', '010.0.0.1'],
    ['a port', '10.0.0.1:80'],
    ['brackets', '[2001:db8::1]'],
    ['IPv4 in the dress of IPv6', '::ffff:10.0.0.0/104'],
    ['the same in hexadecimal', '::ffff:a00:1'],
  ])('is refused with %s, with the field and not the value in the message', (_what, text) => {
    const { code, details, message } = refusalOf(['192.0.2.0/24', text])
    expect({ code, field: details.field }).toEqual({ code: 'BAD_USER_INPUT', field: 'allowedNetworks' })
    expect(message).toMatch(/^allowedNetworks: entry 2 [a-z]/)
    if (text.trim() !== '' && !message.includes('such as')) expect(message).not.toContain(text)
  })

  it('is refused with a duplicate, however it is written', () => {
    for (const [one, other] of [
      ['10.0.0.1', '10.0.0.1/32'],
      ['2001:db8::', '2001:0DB8:0::/128'],
    ] as const) {
      expect(refusalOf([one, '192.0.2.0/24', other]).message).toBe('allowedNetworks: entry 3 is there twice.')
    }
  })

  it('has at most 100 entries', () => {
    const list = Array.from({ length: 100 }, (_, index) => `10.0.${index}.0/24`)
    expect(checkNetworks('allowedNetworks', list)).toEqual(list)
    expect(refusalOf([...list, '192.0.2.0/24']).message).toBe('allowedNetworks: at most 100 networks.')
  })
})

describe('networks contain', () => {
  const networks = createNetworks(['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'])

  it.each([
    '10.0.0.0',
    '10.255.255.255',
    '::ffff:10.0.0.1',
    '::FFFF:10.0.0.1',
    '::ffff:a00:1',
    '192.0.2.7',
    '2001:db8::1',
  ])('%s', (address) => expect(networks.contains(address)).toBe(true))

  it.each([
    '11.0.0.0',
    '9.255.255.255',
    '::ffff:11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '',
    'unknown',
    '10.0.0.1:1234',
    '10.0.0.1, 10.0.0.2',
    ' 10.0.0.1',
    '_hidden',
  ])('not %j', (address) => expect(networks.contains(address)).toBe(false))

  it('an address with a zone, by the address', () => {
    expect(createNetworks(['fe80::/10']).contains('fe80::1%eth0')).toBe(true)
    expect(createNetworks(['fe80::/10']).contains('fec0::1%eth0')).toBe(false)
  })

  it('nothing of the other family, even for a network of all addresses', () => {
    expect(createNetworks(['::/0']).contains('10.0.0.1')).toBe(false)
    expect(createNetworks(['::/0']).contains('::ffff:10.0.0.1')).toBe(false)
    expect(createNetworks(['0.0.0.0/0']).contains('2001:db8::1')).toBe(false)
    expect(createNetworks(['0.0.0.0/0']).contains('::ffff:10.0.0.1')).toBe(true)
  })

  it('nothing when the list is empty', () => expect(createNetworks([]).contains('10.0.0.1')).toBe(false))

  // Addresses are made from bits here, so the answer is known without reading one.
  it('exactly the addresses with their prefix, of both families and in every spelling', () => {
    const example = fc.constantFrom(32, 128).chain((width) =>
      fc.record({
        network: bitsOf(width),
        prefix: fc.nat(width),
        address: bitsOf(width),
        shared: fc.nat(width),
        spelling: fc.nat(SPELLINGS - 1),
      }),
    )
    let held = 0
    fc.assert(
      fc.property(example, ({ network, prefix, address, shared, spelling }) => {
        const first = network.slice(0, prefix).padEnd(network.length, '0')
        const asked = network.slice(0, shared) + address.slice(shared)
        fc.pre(![first, asked].some((bits) => bits.startsWith(MAPPED)))
        const [checked = ''] = checkNetworks('networks', [`${spell(first, 0)}/${prefix}`])
        const expected = asked.slice(0, prefix) === network.slice(0, prefix)
        if (expected) held++
        expect(createNetworks([checked]).contains(spell(asked, spelling))).toBe(expected)
      }),
      { numRuns: 2000 },
    )
    expect(held).toBeGreaterThan(300)
  })

  it('are refused exactly when a bit beyond the prefix is set', () => {
    const example = fc
      .constantFrom(32, 128)
      .chain((width) => fc.record({ bits: bitsOf(width), prefix: fc.nat(width), zeros: fc.nat(width) }))
    fc.assert(
      fc.property(example, ({ bits, prefix, zeros }) => {
        const address = bits.slice(0, bits.length - zeros).padEnd(bits.length, '0')
        fc.pre(!address.startsWith(MAPPED))
        const check = () => checkNetworks('networks', [`${spell(address, 0)}/${prefix}`])
        if (address.slice(prefix).includes('1')) expect(check).toThrow('beyond its prefix')
        else expect(check()).toHaveLength(1)
      }),
      { numRuns: 1000 },
    )
  })
})

const MAPPED = `${'0'.repeat(80)}${'1'.repeat(16)}`
const SPELLINGS = 4

const bitsOf = (width: number) =>
  fc.array(fc.constantFrom('0', '1'), { minLength: width, maxLength: width }).map((bits) => bits.join(''))

const numbersIn = (bits: string, width: number) =>
  (bits.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((part) => Number.parseInt(part, 2))

/** An IPv4 address plain or as IPv6, dotted or not; an IPv6 address short, long, in capitals or with a dotted end. */
function spell(bits: string, spelling: number): string {
  const dotted = (part: string) => numbersIn(part, 8).join('.')
  const groups = (part: string) => numbersIn(part, 16).map((group) => group.toString(16))
  if (bits.length === 32) {
    const written = [dotted(bits), `::ffff:${dotted(bits)}`, `::FFFF:${groups(bits).join(':')}`, dotted(bits)]
    return written[spelling] ?? ''
  }
  const all = groups(bits)
  const long = all.map((group) => group.padStart(4, '0')).join(':')
  const short = all.join(':').replace(/(^|:)0(:0)+(:|$)/, '::')
  return (
    [short, long, long.toUpperCase(), `${groups(bits.slice(0, 96)).join(':')}:${dotted(bits.slice(96))}`][spelling] ??
    ''
  )
}
