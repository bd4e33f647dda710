import { oneOf, type Random } from '../fault/random.ts'

const ALIASES = ['a', 'idx0', 'then', 'length', 'data', 'devices', 'data_devices', 'a_data', 'constructor', '__proto__']
const PLAIN_ALIASES = 6
const FIELDS = ['id', 'name', 'enabled', 'status', 'tags', 'firmwareVersion', '__typename', 'location { name }']
const CONDITIONS = [
  '@include(if: $yes)',
  '@skip(if: $yes)',
  '@include(if: $maybe)',
  '@include(if: true)',
  '@skip(if: true)',
]
/** Each with values for it; undefined: it is absent. */
const VARIABLES: [name: string, type: string, values: unknown[]][] = [
  ['yes', 'Boolean!', [true, false]],
  ['maybe', 'Boolean = true', [true, false, undefined]],
  ['n', 'Int', [1, 2, undefined]],
  ['m', 'Int = 2', [1, undefined]],
  ['k', 'Int! = 1', [2, undefined]],
  ['s', 'String', ['EDGE', '__proto__', null, undefined]],
  ['constructor', 'String', ['edge', undefined]],
  ['t', 'String = "a"', ['a', undefined]],
  ['f', 'DeviceFilter', [{ enabled: true }, { tags: 'a' }, { tags: ['a'], status: null }, {}, null, undefined]],
  ['st', 'DeviceStatus', ['NEVER_SEEN', null, undefined]],
  ['o', 'DeviceOrder', [{ field: 'NAME', direction: 'DESC' }, { field: 'NAME' }, undefined]],
]
const PLAIN_ARGUMENTS = {
  first: ['1', '3', '$n', '$m', 'null'],
  search: ['$s', '"edge"', '"Edge-3"', '""'],
  filter: ['$f', '{ enabled: true }', '{ tags: "a", enabled: null }'],
  orderBy: ['$o', '{ field: NAME }'],
}
const OTHER_ARGUMENTS = {
  first: ['$k'],
  search: [
    '$constructor',
    '$t',
    '"a__b"',
    '"__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8"',
    '"\\u005f_proto__"',
    '"\\""',
  ],
  filter: ['{ status: $st }', '{ tags: [$t], status: $st }'],
  orderBy: [],
}

/**
 * Queries for devices with everything in which an executor could differ from graphql-js; half of them with what
 * has a plan alone. Some are invalid, as two fields of one name that differ.
 */
export function trickyDocument(random: Random): { query: string; variables: Record<string, unknown> } {
  const isPlain = random() < 0.5
  const sometimes = (chance: number, text: () => string) => (random() < chance ? text() : '')
  const some = (most: number, part: (index: number) => string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, (_, i) => part(i)).join(' ')
  const alias = () => oneOf(random, ALIASES.slice(0, isPlain ? PLAIN_ALIASES : ALIASES.length))
  const condition = () => sometimes(isPlain ? 0 : 0.1, () => ` ${oneOf(random, CONDITIONS)}`)
  const field = () => {
    const [name = '', ...inside] = oneOf(random, FIELDS).split(/(?= \{)/)
    return `${sometimes(0.2, () => `${alias()}: `)}${name}${condition()}${inside.join('')}`
  }
  const part = () => {
    const chance = random()
    if (chance < 0.2) return `...${oneOf(random, ['F', 'G'])}${condition()}`
    if (chance < 0.3) return `... on Device${condition()} { ${some(2, field)} }`
    return field()
  }
  const argument = (name: keyof typeof PLAIN_ARGUMENTS) =>
    sometimes(0.3, () => {
      const others = isPlain ? [] : OTHER_ARGUMENTS[name]
      return `${name}: ${oneOf(random, [...PLAIN_ARGUMENTS[name], ...others])} `
    })
  const root = (index: number) => {
    const args = (Object.keys(PLAIN_ARGUMENTS) as (keyof typeof PLAIN_ARGUMENTS)[]).map(argument).join('')
    const name = index === 0 ? '' : `${alias()}: `
    return `${name}devices${args && `(${args})`}${condition()} { ${some(2, () => `data${condition()} { ${some(4, part)} }`)} }`
  }
  const body = `{ ${some(2, root)} }`
  const [f, g] = [
    `fragment F on Device { ${some(2, field)} }`,
    `fragment G on Device { ${field()} ...F${condition()} }`,
  ]
  const text = [body, ...(/\.\.\.[FG]/.test(body) ? [f] : []), ...(body.includes('...G') ? [g] : [])].join(' ')
  const used = VARIABLES.filter(([name]) => new RegExp(`\\$${name}\\b`).test(text))
  const declared = used.map(([name, type]) => `$${name}: ${type}`)
  const values = used.map(([name, , all]) => [name, all[Math.floor(random() * all.length)]] as const)
  return {
    query: `query${declared.length > 0 ? ` (${declared.join(', ')})` : ''} ${text}`,
    variables: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
  }
}
