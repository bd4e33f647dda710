import { rawCall } from './support/call.ts'
import { expectDevices } from './support/expected.ts'
import type { Question } from './support/question.ts'
import { alternateAnew, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { learnFloor, type System, startEmpty, startFloor, startPortal } from './support/system.ts'

/** The cost of an authenticated GraphQL call over the HTTP server and the database. */
export const throughput: Question = {
  id: 'P1',
  asks: '20 of 1,000 devices with a key, against a bare node:http server with the same SQL and the same bytes, and an empty one',
  async answer(bench) {
    const { fleet } = bench
    const learned = await learnFloor(fleet)
    const start = async () => {
      const portal = await startPortal('portal', fleet)
      const floor = await startFloor(fleet, learned)
      const expected = await expectDevices(portal, fleet)
      const empty = await startEmpty(fleet, expected.body, learned)
      const stage = (system: System): Stage => {
        return { name: system.name, system, requests: [rawCall(system.port, fleet.secret)], expected }
      }
      return [stage(portal), stage(floor), stage(empty)] as const
    }
    const [ofPortal, ofFloor, ofEmpty] = await alternateAnew(bench, 'P1', start)
    return {
      findings: [
        {
          what: 'requests a second, portal against floor',
          value: ratioOf(ofPortal, ofFloor, 'requestsPerSecond'),
          unit: '×',
          budget: { atLeast: process.arch === 'x64' ? 0.8 : 0.75, aim: 0.85 },
        },
        { what: 'CPU a request, floor against portal', value: ratioOf(ofFloor, ofPortal, 'cpuMicros'), unit: '×' },
        { what: 'CPU a request, empty against portal', value: ratioOf(ofEmpty, ofPortal, 'cpuMicros'), unit: '×' },
      ],
      systems: [rowOf('portal', ofPortal), rowOf('floor', ofFloor), rowOf('empty', ofEmpty)],
    }
  },
}
