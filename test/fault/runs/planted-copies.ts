import { fileURLToPath } from 'node:url'
import { copyBackAndForth, type Way } from '../copy-rounds.ts'
import { ADDED_AFTER_ANSWER, FORGETS, NO_UNION, SLOW_LEDGER } from '../planted-ledger.ts'
import type { Effort, Figure, Run } from '../report.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('../planted-replica.ts'))
const MOST_ROUNDS = 8
const CONTROL_ROUNDS = 10

/** What has to be done for the fault to show. */
const SHOWN_BY: Record<string, Way> = {
  [ADDED_AFTER_ANSWER]: 'copied back after kill -9',
  [FORGETS]: 'restored under the running portal',
  [NO_UNION]: 'copied back after SIGTERM',
}

const ALL = Object.keys(SHOWN_BY)
const CHOSEN: Record<Effort, string[]> = { full: [...ALL, SLOW_LEDGER], quick: ALL, tiny: [NO_UNION] }

/** The checker checked where a file is copied back: every fault that is planted is found, and where there is none, none is. */
export const plantedCopies: Run = async ({ effort, seed, say }) => {
  const figures: Figure[] = []
  const faults: Record<string, number> = {}
  for (const fault of CHOSEN[effort]) {
    const way = SHOWN_BY[fault]
    const start = performance.now()
    const { violations, restores, keys, byWay } = await copyBackAndForth({
      seed,
      programs: [[PROGRAM, fault]],
      rounds: way ? MOST_ROUNDS : CONTROL_ROUNDS,
      ...(way && { ways: [way] }),
      withCommands: false,
      untilFound: true,
    })
    const seconds = (performance.now() - start) / 1000
    const late = violations.filter(({ rule }) => rule === 'accepted after its revoke had answered').length
    const { calls } = keys.counts
    say(`${fault}: ${late} violations after ${seconds.toFixed(1)} s, ${restores.length} restores and ${calls} calls`)
    figures.push(
      { what: `${fault}: violations`, value: late, wants: way ? { atLeast: 1 } : { atMost: 0 } },
      { what: `${fault}: restores until then`, value: restores.length },
      { what: `${fault}: calls until then`, value: calls },
      { what: `${fault}: seconds until then`, value: seconds },
    )
    for (const [name, count] of Object.entries(byWay)) faults[name] = (faults[name] ?? 0) + count
  }
  return { figures, faults, answers: {}, wrong: [] }
}
