import { oneOf, type Random } from '../fault/random.ts'
import { EDGES } from './edge-values.ts'

const LENGTHS = [100, 8000, 15_000, 60_000, 240_000]

/** Stands where a hostile value is put, which may be too deep to be printed. */
const MARK = '\u0001 here'

const ITEMS = ['0', 'null', '""', '{}', '[]', '{"type":"x","text":0}']
const repeated = (bytes: number, part: string) => Array(Math.ceil(bytes / (part.length + 1))).fill(part)

type Form = (bytes: number, random: Random) => string

const list: Form = (bytes, random) => `[${repeated(bytes, oneOf(random, ITEMS)).join()}]`

const fields: Form = (bytes, random) => {
  const item = oneOf(random, ITEMS)
  const all = repeated(bytes, `"k12345":${item}`).map((_, i) => `"k${10_000 + i}":${item}`)
  return `{${all.join()}}`
}

/** What JSON can be made of, in about so many bytes. */
const FORMS: readonly Form[] = [
  list,
  fields,
  (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  (bytes) => `${'{"a":'.repeat(bytes / 6)}0${'}'.repeat(bytes / 6)}`,
  (bytes) => JSON.stringify('x'.repeat(bytes)),
  (bytes) => JSON.stringify('\u{1f41f}'.repeat(bytes / 4)),
  (bytes) => `${'9'.repeat(bytes + 1)}`,
]

/** The text of a JSON value that nobody sends by mistake; mostly what stood there is a list or an object, and so is this. */
function hostileJson(before: unknown, random: Random): string {
  const bytes = oneOf(random, LENGTHS)
  const isInside = typeof before === 'object' && before !== null
  if (isInside && random() < 0.7) return (Array.isArray(before) ? list : fields)(bytes, random)
  if (random() < 0.2) return JSON.stringify(oneOf(random, [...EDGES.misfit, ...EDGES.text, ...EDGES.int]))
  return oneOf(random, FORMS)(bytes, random)
}

/** Some plain JSON with one of its values, at any depth, replaced by a hostile one, or with one more field. */
export function spoiledJson(plain: object, random: Random): string {
  const places = placesIn(plain)
  const wide = places.filter(({ value }) => typeof value === 'object' && value !== null)
  const { way, value } = oneOf(random, random() < 0.7 ? wide : places)
  const marked = JSON.stringify(replaced(plain, way, MARK))
  return marked.replace(JSON.stringify(MARK), () => hostileJson(value, random))
}

interface Place {
  way: string[]
  value: unknown
}

/** Every value, and a field beside those of each object. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [{ way: [], value }]
  const inside = Object.entries(value).flatMap(([name, each]) =>
    placesIn(each).map((place) => ({ ...place, way: [name, ...place.way] })),
  )
  const more = Array.isArray(value) ? [] : [{ way: ['more'], value: undefined }]
  return [{ way: [], value }, ...inside, ...more]
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  if (Array.isArray(value)) return value.map((each, i) => (String(i) === name ? replaced(each, rest, by) : each))
  const fields = typeof value === 'object' && value !== null ? value : {}
  return { ...fields, [name]: replaced(Reflect.get(fields, name), rest, by) }
}
