import { randomInt } from 'node:crypto'

const given = process.env['SEED']

/** What every random choice of a run follows. Whoever uses it prints it when something fails; `SEED=` repeats the run. */
export const seed = given ? Number(given) : randomInt(2 ** 31)

if (!Number.isSafeInteger(seed)) throw new Error(`SEED=${given} is no whole number. Copy it from the run to repeat.`)
