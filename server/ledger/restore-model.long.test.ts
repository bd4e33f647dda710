import { it as plain } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { RestorablePortal } from '../../test/support/process/restorable-portal.ts'
import {
  type Access,
  ENDINGS,
  endAccess,
  giveAccess,
  LATER_MS,
  lookAt,
} from '../../test/support/world/ending-access.ts'
import { RestoreModel, type Step } from '../../test/support/world/restore-model.ts'

/*
 * A model of what is accepted when the database is copied back, against the real code on real files: whatever is ended,
 * backed up, copied back, killed and lost in whatever order, both say the same.
 */

const anyStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('give' as const), at: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('killed before the ledger' as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('back up' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('restore' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const), at: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose the ledger' as const) }) },
)

/** What was wrong once. */
const FOUND: Step[][] = [
  // two copies with the same sequence in the same incarnation, and different revocations
  [
    { kind: 'back up' },
    { kind: 'killed before the ledger', at: 0 },
    { kind: 'back up' },
    { kind: 'restore', at: 0 },
    { kind: 'end', at: 1 },
    { kind: 'restore', at: 1 },
  ],
  // a row below what both agreed on, which came in when the copy that has it was put back
  [
    { kind: 'back up' },
    { kind: 'killed before the ledger', at: 0 },
    { kind: 'end', at: 1 },
    { kind: 'back up' },
    { kind: 'restore', at: 0 },
    { kind: 'restore', at: 1 },
    { kind: 'restore', at: 0 },
  ],
]

let time = Date.UTC(2026, 10, 16)
const now = () => time
const RUNS = 12
const OTHER = [1, 0] as const

/** With access of every kind. */
const it = plain
  .extend('portal', () => new RestorablePortal(now))
  .extend('first', async ({ portal }, { onCleanup }) => {
    onCleanup(() => portal.remove())
    await portal.start(0)
    const given: Access[] = []
    for (const ending of ENDINGS) given.push(await giveAccess(portal.database, ending))
    await portal.stop()
    return { portal, given }
  })

/** A portal and its model, which take the same steps. */
class Both {
  readonly portal: RestorablePortal
  readonly model = new RestoreModel()
  readonly #all = new Map<string, Access>()

  constructor(first: { portal: RestorablePortal; given: Access[] }) {
    this.portal = new RestorablePortal(now, first.portal)
    for (const access of first.given) this.#know(access)
  }

  async take(step: Step): Promise<void> {
    const { portal, model } = this
    switch (step.kind) {
      case 'give':
        return this.#know(await giveAccess(portal.database, ENDINGS[step.at % ENDINGS.length] ?? 'revoke'))
      case 'end':
        return this.#end(step.at, async (access) => {
          await endAccess(portal.database, access)
          model.end(access.id)
        })
      case 'killed before the ledger':
        return this.#end(step.at, async (access) => {
          await portal.killedBeforeLedger((database) => endAccess(database, access))
          model.endBeforeLedger(access.id)
        })
      case 'back up':
        portal.backUp()
        return model.backUp()
      case 'restore':
        return this.#restore(step.at)
      case 'restart':
        return this.start(step.at === 0 ? OTHER[model.ledger] : model.ledger)
      case 'lose the ledger':
        await portal.loseLedger(model.ledger)
        model.loseLedger()
        return this.start(model.ledger)
    }
  }

  async start(ledger: 0 | 1): Promise<void> {
    await this.portal.start(ledger)
    this.model.start(ledger)
  }

  async check(): Promise<void> {
    time += LATER_MS // shortened keys have expired by then
    for (const access of this.#all.values()) this.model.check(access.id, await lookAt(this.portal.database, access))
    time -= LATER_MS
  }

  #know(access: Access): void {
    this.#all.set(access.id, access)
    this.model.give(access.id)
  }

  async #end(at: number, end: (access: Access) => Promise<void>): Promise<void> {
    const { active } = this.model
    const access = this.#all.get(active[at % active.length] ?? '')
    if (access) await end(access)
  }

  async #restore(at: number): Promise<void> {
    if (this.model.backups === 0) return
    const backup = at % this.model.backups
    await this.portal.copyBack(backup)
    this.model.restore(backup)
    await this.start(this.model.ledger)
  }
}

it('K9, C11: what has ended stays ended, and nothing else ends, whatever is copied back', async ({ first }) => {
  const steps = fc.array(anyStep, { minLength: 5, maxLength: 20, size: 'max' })
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const both = new Both(first)
      try {
        await both.start(0)
        for (const step of steps) {
          await both.take(step)
          await both.check()
        }
      } finally {
        await both.portal.remove()
      }
    }),
    { numRuns: RUNS, examples: FOUND.map((found) => [found]) },
  )
})
