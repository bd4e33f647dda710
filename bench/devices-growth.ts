import { call } from './support/call.ts'
import { calmer, type Finding, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { stageOf } from './support/stage.ts'
import { type System, startPortal } from './support/system.ts'

const FEW = 100
const SIZE = 10
const DEPTH = 0.8 // of the list lies before the deep page

const KINDS: Record<string, (cursor: string) => string> = {
  'first page': () => '',
  'deep page': (cursor) => `, after: ${JSON.stringify(cursor)}`,
  'search by beginning': () => ', search: "edge-gateway-0000"',
  'filter by tag': () => ', filter: { tags: ["lte"] }',
}

/** Whether a large fleet is slower to look at than a small one. */
export const devicesGrowth: Question = {
  id: 'devices',
  asks: 'a page of 10 in an organization with many devices against one with a hundred: first, deep, searched, filtered',
  unhurried: true,
  async answer(bench) {
    const { manyDevices } = bench.effort
    const ofMany = await stagesOn(await seedFleet({ keys: 10, devices: manyDevices }, bench.progress), manyDevices)
    const ofFew = await stagesOn(await seedFleet({ keys: 10, devices: FEW }, bench.progress), FEW)
    const pairs = ofMany.flatMap((stage, i) => [stage, ...ofFew.slice(i, i + 1)]) // those to compare follow each other
    const measures = await alternate(calmer(bench), 'devices', pairs)
    for (const stages of [ofMany, ofFew]) await stages[0]?.system.stop()
    const finding = (name: string, i: number): Finding => ({
      what: `p50 of ${name}, ${manyDevices.toLocaleString('en')} devices against ${FEW}`,
      value: ratioOf(measures[2 * i] ?? [], measures[2 * i + 1] ?? [], 'p50Ms'),
      unit: '×',
    })
    return {
      findings: Object.keys(KINDS).map(finding),
      systems: pairs.map(({ name }, i) => rowOf(name, measures[i] ?? [])),
    }
  },
}

async function stagesOn(fleet: Fleet, devices: number): Promise<Stage[]> {
  const system = await startPortal('portal', fleet)
  const cursor = await cursorAt(system, fleet, devices * DEPTH)
  const stages: Stage[] = []
  for (const [name, wishOf] of Object.entries(KINDS)) {
    const query = `{ devices(first: ${SIZE}${wishOf(cursor)}) { data { id name } } }`
    stages.push(await stageOf(`${name} of ${devices.toLocaleString('en')}`, system, fleet, { query, size: SIZE }))
  }
  return stages
}

/** Page by page, as a client has to. */
async function cursorAt({ port }: System, { secret }: Fleet, depth: number): Promise<string> {
  let cursor = ''
  for (let at = 0; at < depth; at += Math.min(500, depth - at)) {
    const after = cursor && `, after: ${JSON.stringify(cursor)}`
    const query = `{ devices(first: ${Math.min(500, depth - at)}${after}) { pageInfo { endCursor } } }`
    const { body } = await call(port, secret, query)
    const answer: { data?: { devices: { pageInfo: { endCursor: string } } } } = JSON.parse(body)
    if (!answer.data) throw new Error(`The list does not go on: ${body}`)
    cursor = answer.data.devices.pageInfo.endCursor
  }
  return cursor
}
