import { budgetsOf } from './support/budgets.ts'
import { expectDevices } from './support/expected.ts'
import type { Finding, Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf } from './support/rounds.ts'
import { byKeysInTurn, byOneKey } from './support/stage.ts'
import { learnFloor, startEmpty, startFloor, startPortal } from './support/system.ts'

/** The cost of an authenticated GraphQL call over the HTTP server and the database. */
export const throughput: Question = {
  id: 'P1',
  asks: '20 of 1,000 devices, each time with another key, against a bare node:http server with the same SQL and the same bytes, and an empty one',
  async answer(bench) {
    const { fleet } = bench
    const learned = await learnFloor(fleet)
    const start = async () => {
      const portal = await startPortal('portal', fleet)
      const floor = await startFloor(fleet, learned)
      const expected = await expectDevices(portal, fleet)
      const empty = await startEmpty(fleet, expected.body, learned)
      return [
        byKeysInTurn(portal, fleet, expected),
        byKeysInTurn(floor, fleet, expected),
        byKeysInTurn(empty, fleet, expected),
        byOneKey(portal, fleet, expected),
      ] as const
    }
    const [ofPortal, ofFloor, ofEmpty, ofOneKey] = await alternateAnew(bench, 'P1', start)
    return {
      findings: [
        { ...againstFloor('', ofPortal, ofFloor), budget: { atLeast: budgetsOf().ofFloor, aim: 0.85 } },
        { what: 'CPU a request, floor against portal', value: ratioOf(ofFloor, ofPortal, 'cpuMicros'), unit: '×' },
        { what: 'CPU a request, empty against portal', value: ratioOf(ofEmpty, ofPortal, 'cpuMicros'), unit: '×' },
        againstFloor(', one key', ofOneKey, ofFloor),
      ],
      systems: [
        rowOf('portal', ofPortal),
        rowOf('portal, one key', ofOneKey),
        rowOf('floor', ofFloor),
        rowOf('empty', ofEmpty),
      ],
    }
  },
}

const againstFloor = (load: string, ofPortal: Measure[], ofFloor: Measure[]): Finding => ({
  what: `requests a second, portal against floor${load}`,
  value: ratioOf(ofPortal, ofFloor, 'requestsPerSecond'),
  unit: '×',
})
