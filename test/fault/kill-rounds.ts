import { setTimeout as pause } from 'node:timers/promises'
import { createAnswers } from './answers.ts'
import { createClient } from './client.ts'
import type { Organization } from './cluster.ts'
import { violationsIn } from './history.ts'
import { type Ledger, lookAgain, writeOn } from './ledger.ts'
import { createRecorder } from './operations.ts'
import { between, createRandom, type Random } from './random.ts'
import type { Replica } from './replica.ts'
import { describeViolation, firstOf, type Run, type RunOptions } from './report.ts'

const CLIENTS = 8
const ANSWERS_BEFORE_A_KILL: [number, number] = [10, 60]
const MOMENT_MS: [number, number] = [0, 10]

/** What is killed, how often, and how it comes back. */
export interface Victim {
  name: string
  times: number
  kill(random: Random): Promise<void>
  bringBack(): Promise<void>
}

interface Stand {
  replicas: Replica[]
  /** One for each kill. */
  organizations: Organization[]
  victims: Victim[]
}

/** Kills everything as often as it should be, each time in the middle of writes, and looks at what is left. */
export async function killAll({ replicas, organizations, victims }: Stand, { seed, say }: RunOptions): ReturnType<Run> {
  const random = createRandom(seed)
  const answers = createAnswers()
  const record = createRecorder(answers)
  const clients = Array.from({ length: CLIENTS }, () => {
    return { client: createClient(replicas, random, answers), record, random }
  })
  const faults: Record<string, number> = {}
  const missing: string[] = []
  const ledgers: Ledger[] = []

  async function writeUntilKilled(ledger: Ledger, victim: Victim): Promise<void> {
    const enough = Promise.withResolvers<void>()
    let left = between(random, ...ANSWERS_BEFORE_A_KILL)
    let isOver = false
    const onAnswer = () => void (--left === 0 && enough.resolve())
    const writing = clients.map((at) => writeOn(at, ledger, () => isOver, onAnswer))
    await Promise.race([enough.promise, Promise.all(writing)])
    if (left > 0) throw new Error('Writes end before anything is killed.')
    await pause(between(random, ...MOMENT_MS))
    await victim.kill(random)
    isOver = true
    await Promise.all(writing)
    faults[victim.name] = (faults[victim.name] ?? 0) + 1
  }

  /** All at once, each client a share. */
  async function check(at: readonly Ledger[]): Promise<void> {
    const waiting = [...at]
    const work = async (client: (typeof clients)[number]) => {
      for (let ledger = waiting.pop(); ledger; ledger = waiting.pop())
        missing.push(...(await lookAgain(client, ledger)))
    }
    await Promise.all(clients.map(work))
  }

  for (const victim of shuffled(random, victims)) {
    const owner = organizations[ledgers.length]
    if (!owner) throw new Error('There are fewer organizations than kills.')
    const ledger: Ledger = { owner, keys: [], devices: [] }
    ledgers.push(ledger)
    await writeUntilKilled(ledger, victim)
    await victim.bringBack()
    await check(ledgers.slice(-2))
    say(`${victim.name}, number ${ledgers.length}: keys ${ledger.keys.length}, devices ${ledger.devices.length}`)
  }
  await check(ledgers) // what was written long ago is still as it was
  for (const { client } of clients) client.close()
  const violations = violationsIn(record.history)
  const answered = (kind: string) =>
    record.history.filter((one) => one.kind === kind && one.answer === 'accepted').length
  return {
    figures: [
      { what: 'answered generates', value: answered('generate') },
      { what: 'answered revokes', value: answered('revoke') },
      { what: 'answered creates', value: ledgers.reduce((sum, { devices }) => sum + devices.length, 0) },
      { what: 'keys not as they were left', value: violations.length, wants: { atMost: 0 } },
      { what: 'devices missing', value: missing.length, wants: { atMost: 0 } },
    ],
    faults,
    answers: Object.fromEntries(answers.counts),
    wrong: firstOf([...violations.map(describeViolation), ...missing, ...answers.wrong]),
  }
}

/** Each as often as it should be, in any order. */
function shuffled(random: Random, victims: Victim[]): Victim[] {
  const all = victims.flatMap((victim) => Array<Victim>(victim.times).fill(victim))
  const drawn = all.map((victim) => ({ victim, place: random() }))
  return drawn.sort((a, b) => a.place - b.place).map(({ victim }) => victim)
}
