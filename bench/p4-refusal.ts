import { call, rawCall } from './support/call.ts'
import { expectDevices, expectRefusal } from './support/expected.ts'
import type { Finding, Question } from './support/question.ts'
import { alternate, type Measure, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { byKeysInTurn, byOneKey } from './support/stage.ts'
import { summarize } from './support/statistics.ts'
import { type System, startPortal } from './support/system.ts'

const WATCHED_CALLS = 50
/** The lowest of these counts is taken: background work may add queries to one of them. */
const TIMES_WATCHED = 3
const NOTING_LAST_USE = /^(begin|commit|update "apiKey" set "lastUsedAt")/ // left by the earlier load, not by a measured call

/** What a caller without a key can make the portal spend. */
export const refusal: Question = {
  id: 'P4',
  asks: 'refusing a malformed key, against accepting valid ones in turn',
  async answer(bench) {
    const { fleet } = bench
    const settings = { ...fleet.settings, RATE_LIMIT: 'off' } // with limits, nearly all of them would be 429
    const portal = await startPortal('portal', { ...fleet, settings })
    const mistyped = mistype(fleet.secret)
    const garbage = 'not-a-key'
    const refused = async (name: string, secret: string): Promise<Stage> => ({
      name,
      system: portal,
      requests: [rawCall(portal.port, secret)],
      expected: await expectRefusal(portal, secret),
    })
    const expected = await expectDevices(portal, fleet)
    const [accepted, ofOneKey, ofMistyped, ofGarbage] = await alternate(bench, 'P4', [
      byKeysInTurn(portal, fleet, expected),
      byOneKey(portal, fleet, expected),
      await refused('a wrong checksum', mistyped),
      await refused('garbage', garbage),
    ])
    const queries = [await queriesPerCall(portal, mistyped), await queriesPerCall(portal, garbage)]
    const queriesOfValid = await queriesPerCall(portal, fleet.secret)
    await portal.stop()
    const budget = { atMost: 0.6 }
    return {
      findings: [
        { ...against('a wrong checksum', ofMistyped, accepted), budget },
        { ...against('garbage', ofGarbage, accepted), budget },
        against('a wrong checksum against one valid key', ofMistyped, ofOneKey),
        against('garbage against one valid key', ofGarbage, ofOneKey),
        { what: 'queries for a refusal', value: summarize(queries), unit: 'queries', budget: { atMost: 0 } },
        { what: 'queries for a valid key, to compare', value: summarize([queriesOfValid]), unit: 'queries' },
      ],
      systems: [
        rowOf('valid keys in turn', accepted),
        rowOf('one valid key', ofOneKey),
        rowOf('a wrong checksum', ofMistyped),
        rowOf('garbage', ofGarbage),
      ],
    }
  },
}

const against = (what: string, refused: Measure[], accepted: Measure[]): Finding => ({
  what: `CPU a request, ${what}`,
  value: ratioOf(refused, accepted, 'cpuMicros'),
  unit: '×',
})

/** A secret with one wrong character, so that the checksum does not match. */
function mistype(secret: string): string {
  const index = 20
  return secret.slice(0, index) + (secret[index] === 'a' ? 'b' : 'a') + secret.slice(index + 1)
}

async function queriesPerCall(portal: System, secret: string): Promise<number> {
  const counts: number[] = []
  for (let time = 0; time < TIMES_WATCHED; time++) {
    const queries = await portal.queriesDuring(async () => {
      for (let i = 0; i < WATCHED_CALLS; i++) await call(portal.port, secret)
    })
    counts.push(queries.filter(({ sql }) => !NOTING_LAST_USE.test(sql)).length / WATCHED_CALLS)
  }
  return Math.min(...counts)
}
