import { expect } from 'vitest'
import { examine } from '../../../server/doctor/examine.ts'
import type { DoctorOptions, Level } from '../../../server/doctor/result.ts'

/** An installation in which one thing is wrong. */
export interface Planted {
  env: Record<string, string>
  options?: Partial<DoctorOptions>
}

/** A ledger is given no time to catch up: nobody is copying. */
const OPTIONS = { ledgerPatienceMs: 0 }
/** So that no other portal on this machine, such as one on the default port, is taken for this one. */
const NO_PORT = { PORT: '0' }

/** What doctor says of it, by check: the worst of its findings. */
export async function examinedBy({ env, options }: Planted): Promise<Map<string, { level: Level; message: string }>> {
  const found = new Map<string, { level: Level; message: string }>()
  const worse = (a: Level, b: Level) => LEVELS.indexOf(a) > LEVELS.indexOf(b)
  for (const { check, level, message, action } of await examine({ ...NO_PORT, ...env }, () => {}, {
    ...OPTIONS,
    ...options,
  })) {
    expect(Boolean(action), `${check}: ${message}`).toBe(level !== 'success')
    const before = found.get(check)
    if (!before || worse(level, before.level)) found.set(check, { level, message })
  }
  return found
}

const LEVELS: Level[] = ['success', 'warning', 'failure']

/** All failures, as text. */
export const failuresOf = (found: Awaited<ReturnType<typeof examinedBy>>) =>
  [...found].filter(([, { level }]) => level === 'failure').map(([check, { message }]) => `${check}: ${message}`)

/** Expects that this check finds it, and that no other fails because of it. */
export async function expectFound(planted: Planted, check: string, level: Level, words: RegExp): Promise<void> {
  const found = await examinedBy(planted)
  expect(found.get(check), failuresOf(found).join('; ')).toEqual({ level, message: expect.stringMatching(words) })
  const others = failuresOf(found).filter((failure) => !failure.startsWith(`${check}: `))
  expect(others, 'other checks are not misled').toEqual([])
}
