import { fileURLToPath } from 'node:url'
import { copyBackAndForth } from '../copy-rounds.ts'
import { SLOW_LEDGER } from '../planted-ledger.ts'
import { PORTAL } from '../replica.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'

const PLANTED = fileURLToPath(import.meta.resolve('../planted-replica.ts'))

const WANTS = {
  full: { rounds: 40, calls: 20_000, ended: 400, byCommand: 15 },
  quick: { rounds: 8, calls: 1500, ended: 60, byCommand: 2 },
  tiny: { rounds: 3, calls: 300, ended: 15, byCommand: 0 },
}

/** A file that is copied back, in place or while the portal is stopped, in every second round right before the ledger is written. */
export const copies: Run = async ({ effort, seed, say }) => {
  const wants = WANTS[effort]
  const { keys, restores, byWay, held, violations, troubles } = await copyBackAndForth({
    seed,
    rounds: wants.rounds,
    programs: [PORTAL, [PLANTED, SLOW_LEDGER]],
    withCommands: effort !== 'tiny',
    onRound: ({ restores, keys: { counts }, violations }) =>
      say(`restores ${restores.length}  calls ${counts.calls}  ended ${counts.ended}  violations ${violations.length}`),
  })
  const { counts, answers } = keys
  return {
    figures: [
      { what: 'restores', value: restores.length, wants: { atLeast: wants.rounds } },
      { what: 'calls', value: counts.calls, wants: { atLeast: wants.calls } },
      { what: 'keys that ended', value: counts.ended, wants: { atLeast: wants.ended } },
      { what: 'of which by the command line', value: counts.byCommand, wants: { atLeast: wants.byCommand } },
      { what: 'restores after which keys were held', value: held },
      { what: 'violations', value: violations.length, wants: { atMost: 0 } },
    ],
    faults: byWay,
    answers: Object.fromEntries(answers.counts),
    wrong: firstOf([...violations.map(describeViolation), ...answers.wrong, ...troubles]),
  }
}
