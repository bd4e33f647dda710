import { call, rawCall } from './support/call.ts'
import { expectDevices } from './support/expected.ts'
import { type Answer, type Bench, calmer, type Finding, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { type System, startPortal } from './support/system.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const FEW = 100
const SIZE = 10
const PAGES = 16 // spread over the list
const LONGEST_PAGE = 500
const KEYS = 10

/** Arguments of the list; several are used in turn. */
const KINDS: Record<string, (cursors: string[]) => string[]> = {
  'first page': () => [''],
  'deep pages': (cursors) => cursors.map((cursor) => `after: ${JSON.stringify(cursor)}`),
  'search by beginning': () => ['search: "edge-gateway-0000"'],
  'filter by tag': () => ['filter: { tags: ["lte"] }'],
  'filter by ONLINE': () => ['filter: { status: ONLINE }'],
  'filter by OFFLINE': () => ['filter: { status: OFFLINE }'],
  'filter by NEVER_SEEN': () => ['filter: { status: NEVER_SEEN }'],
  'filter by disabled': () => ['filter: { enabled: false }'],
}

/** Whether a large fleet is slower to list than a small one. */
export const devicesGrowth: Question = {
  id: 'devices',
  asks: 'a page of 10 in an organization with many devices against one with a hundred: first, deep, searched, filtered',
  isLong: true,
  async answer(bench) {
    const { effort, progress } = bench
    const size = { keys: KEYS, devices: effort.manyDevices }
    const small = { keys: KEYS, devices: FEW }
    const onSqlite = await compare(bench, 'SQLite', await seedFleet(size, progress), await seedFleet(small, progress))
    const onPostgres = await withPostgresFleet(
      size,
      (many, absent) =>
        withPostgresFleet(small, async (few): Promise<Answer> => {
          return many && few ? compare(bench, 'PostgreSQL', many, few) : { findings: [], systems: [], absent }
        }),
      progress,
    )
    return {
      findings: [...onSqlite.findings, ...onPostgres.findings],
      systems: [...onSqlite.systems, ...onPostgres.systems],
      absent: onPostgres.absent ?? [],
    }
  },
}

async function compare(bench: Bench, on: string, many: Fleet, few: Fleet): Promise<Answer> {
  const { manyDevices } = bench.effort
  const ofMany = await stagesOn(many, manyDevices)
  const ofFew = await stagesOn(few, FEW)
  const pairs = ofMany.flatMap((stage, i) => [stage, ...ofFew.slice(i, i + 1)]) // stages to compare follow each other
  const { effort } = calmer(bench)
  const shorter = { ...effort, roundMs: effort.roundMs / 2 } // there are many stages
  const measures = await alternate({ ...bench, effort: shorter }, `devices · ${on}`, pairs)
  for (const stages of [ofMany, ofFew]) await stages[0]?.system.stop()
  const finding = (name: string, i: number): Finding => ({
    what: `${on}, p50 of ${name}, ${manyDevices.toLocaleString('en')} devices against ${FEW}`,
    value: ratioOf(measures[2 * i] ?? [], measures[2 * i + 1] ?? [], 'p50Ms'),
    unit: '×',
  })
  return {
    findings: Object.keys(KINDS).map(finding),
    systems: pairs.map(({ name }, i) => rowOf(`${on}, ${name}`, measures[i] ?? [])),
  }
}

/** One call at a time: the question is how long a person waits. */
async function stagesOn(fleet: Fleet, devices: number): Promise<Stage[]> {
  const system = await startPortal('portal', fleet)
  const cursors = await cursorsAcross(system, fleet, devices)
  const stages: Stage[] = []
  for (const [name, wishesOf] of Object.entries(KINDS)) {
    const queries = wishesOf(cursors).map((wish) => `{ devices(first: ${SIZE} ${wish}) { data { id name } } }`)
    const expected: Stage['expected'] = []
    for (const query of queries) expected.push(await expectDevices(system, fleet, { query, size: SIZE }))
    const requests = queries.map((query) => rawCall(system.port, fleet.secret, query))
    stages.push({ name: `${name} of ${devices.toLocaleString('en')}`, system, requests, expected, connections: 1 })
  }
  return stages
}

/** Walks the list page by page, as a client has to, and collects cursors that are as far apart as possible. */
async function cursorsAcross(system: System, fleet: Fleet, devices: number): Promise<string[]> {
  const cursors: string[] = []
  const apart = Math.floor((devices - SIZE) / PAGES)
  let cursor = ''
  for (let at = 0; cursors.length < PAGES; ) {
    const first = Math.min(LONGEST_PAGE, apart * (cursors.length + 1) - at)
    cursor = await cursorBehind(system, fleet, first, cursor)
    at += first
    if (at === apart * (cursors.length + 1)) cursors.push(cursor)
  }
  return cursors
}

async function cursorBehind({ port }: System, { secret }: Fleet, first: number, cursor: string): Promise<string> {
  const after = cursor && `after: ${JSON.stringify(cursor)}`
  const { body } = await call(port, secret, `{ devices(first: ${first} ${after}) { pageInfo { endCursor } } }`)
  const answer: { data?: { devices: { pageInfo: { endCursor: string } } } } = JSON.parse(body)
  if (!answer.data) throw new Error(`The list does not go on: ${body}`)
  return answer.data.devices.pageInfo.endCursor
}
