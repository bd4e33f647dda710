import { setTimeout as pause } from 'node:timers/promises'
import { FLUSH_EVERY_MS } from '../../../server/api-keys/usage/counter.ts'
import { type Answers, createAnswers } from '../answers.ts'
import type { Client } from '../client.ts'
import type { Organization } from '../cluster.ts'
import { createCallLedger, wrongCount } from '../counted-calls.ts'
import { READ } from '../operations.ts'
import { oneOf, type Random } from '../random.ts'
import type { Replica } from '../replica.ts'
import type { CrewLog } from './crew-log.ts'

const CLIENTS = 4
const AFTER_TROUBLE_MS = 20
const NO_MARK = 'nobody that is known'

/** Clients that count their calls, each with keys that nobody else uses. */
export interface CountedLoad {
  answers: Answers
  stop(): Promise<void>
  /** What is wrong with the numbers of the database, by organization, once all workers have closed. */
  compare(counted: ReadonlyMap<string, number>): { answered: number; atRisk: number; lost: number; wrong: string[] }
}

interface Options {
  portal: Replica & { crew: CrewLog }
  organizations: readonly Organization[]
  /** Whose calls are not counted here. */
  other: Organization
  random: Random
  open: (answers: Answers) => Client<Replica>
  /** How long what a worker has counted may take to be written. */
  atRiskMs: number
}

export function startCounting({ portal, organizations, other, random, open, atRiskMs }: Options): CountedLoad {
  const { crew } = portal
  const answers = createAnswers()
  const ledger = createCallLedger<string>(
    organizations.map(({ id }) => id),
    atRiskMs,
  )
  let isOver = false

  async function callOn(): Promise<void> {
    const client = open(answers)
    while (!isOver) {
      const { id, secret } = oneOf(random, organizations)
      const { verdict, by = NO_MARK } = await client.send(portal, { secret, ...READ })
      if (verdict === 'accepted') ledger.answered(id, by)
      else {
        ledger.uncertain(id)
        await pause(AFTER_TROUBLE_MS)
      }
      if (!crew.workerOf.has(by)) await identify(client)
    }
    client.close()
  }

  /** What is wrong with a request is logged, with the worker that answered: mostly the one on the connection before. */
  const identify = (client: Client<Replica>) =>
    client.send(portal, { secret: other.secret, ...READ, variables: [], also: { '400 BAD_REQUEST': 'unknown' } })

  const calling = Array.from({ length: CLIENTS }, callOn)
  return {
    answers,
    async stop() {
      isOver = true
      await Promise.all(calling)
    },
    compare(counted) {
      for (const { worker, from } of crew.deaths.toSorted((a, b) => a.from - b.from))
        for (const [mark, id] of crew.workerOf)
          if (id === worker) ledger.killed(mark, from, unwrittenFrom(crew, worker, from, atRiskMs))
      const numbers = organizations.map(({ id }) => ({ calls: ledger.of(id), counted: counted.get(id) ?? 0 }))
      return {
        answered: ledger.total('answered'),
        atRisk: ledger.total('atRisk'),
        lost: numbers.reduce((sum, { calls, counted }) => sum + Math.max(0, calls.answered - counted), 0),
        wrong: numbers.flatMap(({ calls, counted }) => wrongCount(counted, calls) ?? []),
      }
    },
  }
}

/** A worker that said that it could not write tries again after the next interval. */
function unwrittenFrom({ notWritten }: CrewLog, worker: number, killedAt: number, atRiskMs: number): number {
  let from = killedAt - atRiskMs
  for (const { worker: by, at } of notWritten.toReversed())
    if (by === worker && at >= from && at <= killedAt) from = at - atRiskMs - FLUSH_EVERY_MS
  return from
}
