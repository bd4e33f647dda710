import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { policyViolations } from '../../scripts/schema/changes.ts'
import { releaseViolations } from '../../scripts/schema/check.ts'
import { ROOT } from '../support/sources.ts'

const RELEASED = `
  type Query {
    devices(first: Int, sorted: Boolean = true): [Device!]!
    search(by: SearchInput): [Device!]!
    fleet: String @deprecated(reason: "Use devices. Removed after 2027-05-16.")
  }
  type Device { id: ID!  name: String! }
  input SearchInput { exact: Boolean = true }
  enum State { ON  OFF }`

const DEPRECATED = '## 0.1.0\n\n### Deprecated\n\n- 2026-11-16: `Query.fleet`; use `Query.devices`.\n'

interface Changed {
  from: string
  to: string
  changelog?: string
  version?: string
  today?: string
}

const violations = ({ from, to, changelog = DEPRECATED, version = '0.1.0', today = '2026-12-01' }: Changed) =>
  policyViolations({ released: RELEASED, current: RELEASED.replace(from, to), changelog, version, today })

const FLEET = '    fleet: String @deprecated(reason: "Use devices. Removed after 2027-05-16.")\n'

describe('docs/api-policy.md', () => {
  it('the schema of this checkout breaks nothing that the last release had, unless CHANGELOG.md says so', async () => {
    expect(await releaseViolations()).toEqual([])
  })

  it.for<[string, string, string, string]>([
    ['a field is removed', '  name: String!', '', 'Device.name'],
    ['a type is removed', 'enum State { ON  OFF }', '', 'State'],
    ['a value of an enum is removed', 'ON  OFF', 'ON', 'State.OFF'],
    ['an argument is removed', 'first: Int, ', '', 'Query.devices.first'],
    ['a default is changed', 'sorted: Boolean = true', 'sorted: Boolean = false', 'Query.devices.sorted'],
    ['a default is removed', 'sorted: Boolean = true', 'sorted: Boolean', 'Query.devices.sorted'],
    ['a default of an input is changed', 'exact: Boolean = true', 'exact: Boolean = false', 'SearchInput.exact'],
    ['an argument becomes required', 'first: Int', 'first: Int!', 'Query.devices.first'],
    ['a required argument is added', 'first: Int', 'first: Int, org: ID!', 'Query.devices.org'],
    ['a field becomes nullable', 'name: String!', 'name: String', 'Device.name'],
    ['a field gets another type', 'id: ID!', 'id: Int!', 'Device.id'],
  ])('%s: only with its name under Breaking changes', async ([_title, from, to, name]) => {
    const [violation, ...others] = await violations({ from, to })
    expect(violation).toContain(`name \`${name}\` under "### Breaking changes" in CHANGELOG.md.`)
    expect(others).toEqual([])
    const said = `## 0.2.0\n\n### Breaking changes\n\n- \`${name}\` is another.\n\n${DEPRECATED}`
    expect(await violations({ from, to, changelog: said })).toEqual([])
    const saidBefore = `## 0.3.0\n\n- A line about \`${name}\`.\n\n${said}`
    expect(await violations({ from, to, changelog: saidBefore })).toHaveLength(1)
  })

  it.for<[string, string, string]>([
    ['a field is added', 'name: String!', 'name: String!  tags: [String!]!'],
    ['an optional argument is added', 'first: Int', 'first: Int, after: String'],
    ['a value of an enum is added', 'ON  OFF', 'ON  OFF  PAUSED'],
    ['a field is never null any more', 'fleet: String', 'fleet: String!'],
    ['a type is added', 'enum State', 'type New { id: ID! }\n  enum State'],
  ])('%s: at any time', async ([_title, from, to]) => {
    expect(await violations({ from, to })).toEqual([])
  })

  it('from 1.0 on, only what was deprecated is removed', async () => {
    const said = `## 1.1.0\n\n### Breaking changes\n\n- \`Device.name\` is gone.\n\n${DEPRECATED}`
    const removed = { from: '  name: String!', to: '', changelog: said, version: '1.1.0' }
    expect(await violations(removed)).toEqual([
      expect.stringContaining('It was never deprecated: deprecate `Device.name` first.'),
    ])
  })

  it('what is deprecated stays until its date, also before 1.0', async () => {
    const changelog = '## 0.2.0\n\n### Breaking changes\n\n- `Query.fleet` is gone.\n'
    const removed = { from: FLEET, to: '', changelog }
    const early = 'It was announced for after 2027-05-16: wait until then.'
    expect(await violations({ ...removed, today: '2027-05-16' })).toEqual([expect.stringContaining(early)])
    expect(await violations({ ...removed, today: '2027-05-17' })).toEqual([])
    expect(await violations({ ...removed, today: '2027-05-17', version: '1.2.0' })).toEqual([])
  })

  it.for<[string, string, string, string]>([
    ['no date', 'Removed after 2027-05-16.', 'It is old.', 'without a date'],
    ['no day of the calendar', '2027-05-16', '2027-02-30', 'without a date'],
    ['less than six months', '2027-05-16', '2027-05-15', 'it may be removed after 2027-05-16'],
    ['an earlier date than before', '2027-05-16', '2027-05-15', 'a date only moves back'],
  ])('a deprecation is refused with %s', async ([_title, from, to, words]) => {
    expect((await violations({ from, to })).join('\n')).toContain(words)
  })

  it('a deprecation is listed in CHANGELOG.md', async () => {
    expect(await violations({ from: '', to: '', changelog: '## 0.1.0\n\n- Nothing.\n' })).toEqual([
      'Query.fleet is deprecated: list `Query.fleet` with the date under "### Deprecated" in CHANGELOG.md.',
    ])
  })

  it('deprecated arguments, input fields and values of enums need a date as well', async () => {
    expect(await violations({ from: 'first: Int', to: 'first: Int @deprecated' })).toHaveLength(1)
    expect(await violations({ from: 'OFF', to: 'OFF @deprecated(reason: "Soon.")' })).toHaveLength(1)
    const input = 'input I { a: Int @deprecated(reason: "x.") }\n  enum State'
    expect(await violations({ from: 'enum State', to: input })).toHaveLength(1)
  })
})

describe('graphql-schema-linter', () => {
  it('finds nothing in schema.graphql', () => {
    expect(lint(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'))).toEqual({ status: 0, rules: [] })
  })

  it('finds what has no description or is named in another way', () => {
    const faulty = `
      "What can be read."
      type Query { name: String  "A name." Full_name: state  "A list." all(first: Int): Int }
      enum state { "On." on }
      "A type." type unused { "an id." id: ID @deprecated }`
    expect(new Set(lint(faulty).rules)).toEqual(
      new Set([
        'arguments-have-descriptions',
        'defined-types-are-used',
        'deprecations-have-a-reason',
        'descriptions-are-capitalized',
        'enum-values-all-caps',
        'fields-are-camel-cased',
        'fields-have-descriptions',
        'type-fields-sorted-alphabetically',
        'types-are-capitalized',
        'types-have-descriptions',
      ]),
    )
  })
})

/** Relay's rules are for connections with edges; our lists have one shape of their own (C3). */
const NOT_OURS = ['relay-connection-types-spec', 'relay-connection-arguments-spec', 'relay-page-info-spec']

function lint(sdl: string): { status: number | null; rules: string[] } {
  const program = fileURLToPath(import.meta.resolve('graphql-schema-linter/lib/cli.js'))
  const args = [program, '--stdin', '--format', 'json', '--except', NOT_OURS.join(',')]
  const { status, stdout } = spawnSync(process.execPath, args, { input: sdl, encoding: 'utf8', cwd: ROOT })
  const { errors }: { errors: { rule: string }[] } = JSON.parse(stdout)
  return { status, rules: errors.map(({ rule }) => rule) }
}
