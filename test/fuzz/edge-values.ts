const HUGE = 100 * 1024

/** Texts that have broken software: empty, long, with control characters, in other directions, like code. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'x',
  'x'.repeat(80),
  'x'.repeat(81),
  'x'.repeat(1001),
  'x'.repeat(HUGE),
  '\u{1f41f}'.repeat(80),
  'ﷺ'.repeat(60),
  'İ'.repeat(80),
  'nul \u0000 inside',
  'c1 \u0085\u009b31m inside',
  'escape \u001b[31m inside',
  'lone high \ud800 surrogate',
  'lone low \udc00 surrogate',
  'right to left \u202e mark \u200f\u2067',
  'line\nend\r\n\u2028\u2029',
  'combining e\u0301\u0327\u0323',
  `x' or '1'='1'; drop table "device"; --`,
  '%_\\%\\_[a-z]*',
  '{"$ne":null}',
  '[{"json":[]}]',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '{{7*7}}#{7*7}',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
]

const INTS: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  100,
  499,
  500,
  501,
  36_500,
  36_501,
  604_800,
  604_801,
  2 ** 31 - 1,
  -(2 ** 31),
]

const FLOATS: readonly unknown[] = [0, -0, 1.5, -90, 90, 90.000001, -180, 180, 180.000001, 1e21, 1e308, -1e308, 5e-324]

/** Before 1970, in year 0, at the end of what four digits hold, and what only looks like a moment. */
const MOMENTS: readonly string[] = [
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00+23:59',
  '1900-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '0099-12-31T23:59:59Z',
  '2026-11-15T24:00:00Z',
  '2024-02-29T12:00:00.123456789Z',
  '2038-01-19T03:14:08Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-23:59',
]

/** What no value of the type looks like, for the share of documents that is wrong on purpose. */
const MISFITS: readonly unknown[] = [
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1.5,
  '1',
  true,
  'NO_SUCH_NAME',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-11-15',
  [],
  [[]],
  {},
  { unknown: 1 },
  null,
]

/** Looks like a cursor, and is none of ours; the last ones have our form with odd content. */
const CURSORS: readonly string[] = [
  '',
  'x',
  '====',
  '\u0000',
  cursor([]),
  cursor([null]),
  cursor(['']),
  cursor(['\u0000', 'x']),
  cursor(['x', 'x']),
  cursor([-1, 'x']),
  cursor([Number.MAX_SAFE_INTEGER, 'x']),
  cursor([1e308, 'x']),
  cursor({ toString: 1 }),
  cursor([['x'], ['x']]),
  cursor(['x'.repeat(10_000), 'x']),
  cursor(['\ud800', '\udfff']),
]

const IDS: readonly string[] = [
  '',
  'x',
  '0',
  '-1',
  '\u0000',
  'z'.repeat(26),
  '0'.repeat(26),
  'x'.repeat(HUGE),
  "' or 1=1 --",
]

/** Values at the edges of each type and beyond. */
export const EDGES = {
  text: TEXTS,
  int: INTS,
  float: FLOATS,
  moment: MOMENTS,
  cursor: CURSORS,
  id: IDS,
  misfit: MISFITS,
  listLength: [0, 1, 2, 20, 21, 100, 500, 501],
} as const

function cursor(values: unknown): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}
