import { expectDevices } from './support/expected.ts'
import type { Finding, Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf } from './support/rounds.ts'
import { byKeysInTurn, byOneKey } from './support/stage.ts'
import { learnFloor, startEmpty, startFloor, startPortal } from './support/system.ts'

const OF_FLOOR = 0.75
const CPU_OF_FLOOR_WITH_KEYS = 0.8
const UNLIMITED = { RATE_LIMIT: 'off' }

/** The cost of an authenticated GraphQL call over the HTTP server and the database. */
export const throughput: Question = {
  id: 'P1',
  asks: '20 of 1,000 devices, each time with another key, against a bare node:http server with the same SQL and the same bytes, and an empty one',
  async answer(bench) {
    const { fleet } = bench
    const learned = await learnFloor(fleet)
    const start = async () => {
      const portal = await startPortal('portal', fleet)
      const unlimited = await startPortal('portal, RATE_LIMIT=off', {
        ...fleet,
        settings: { ...fleet.settings, ...UNLIMITED },
      })
      const floor = await startFloor(fleet, learned)
      const floorWithKeys = await startFloor(fleet, learned, 'floor with keys')
      const expected = await expectDevices(portal, fleet)
      const empty = await startEmpty(fleet, expected.body, learned)
      return [
        byKeysInTurn(portal, fleet, expected),
        byKeysInTurn(floor, fleet, expected),
        byKeysInTurn(floorWithKeys, fleet, expected),
        byKeysInTurn(empty, fleet, expected),
        byOneKey(portal, fleet, expected),
        byKeysInTurn(unlimited, fleet, expected),
      ] as const
    }
    const [ofPortal, ofFloor, ofFloorWithKeys, ofEmpty, ofOneKey, ofUnlimited] = await alternateAnew(bench, 'P1', start)
    return {
      findings: [
        { ...againstFloor('', ofPortal, ofFloor), budget: { atLeast: OF_FLOOR, aim: 0.85 } },
        {
          what: 'CPU a request, floor with keys against portal',
          value: ratioOf(ofFloorWithKeys, ofPortal, 'cpuMicros'),
          unit: '×',
          budget: { atLeast: CPU_OF_FLOOR_WITH_KEYS },
        },
        { what: 'CPU a request, floor against portal', value: ratioOf(ofFloor, ofPortal, 'cpuMicros'), unit: '×' },
        { what: 'CPU a request, empty against portal', value: ratioOf(ofEmpty, ofPortal, 'cpuMicros'), unit: '×' },
        againstFloor(', one key', ofOneKey, ofFloor),
        againstFloor(', RATE_LIMIT=off', ofUnlimited, ofFloor),
      ],
      systems: [
        rowOf('portal', ofPortal),
        rowOf('portal, one key', ofOneKey),
        rowOf('portal, RATE_LIMIT=off', ofUnlimited),
        rowOf('floor', ofFloor),
        rowOf('floor with keys', ofFloorWithKeys),
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
