import { startCluster } from '../cluster.ts'
import { watchKeysEnd } from '../ending-keys.ts'
import { type Violation, violationsIn } from '../history.ts'
import { createRandom } from '../random.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'

const PRELOADED = import.meta.resolve('../shifted-clock.ts')
const HOUR_MS = 3_600_000
const ROUNDS = { full: 20, quick: 2 }
const KEYS_A_ROUND = 5

/** What makes the clocks of three replicas an hour apart, each from the next. */
export const clocksApart = (place: number) => ({
  NODE_OPTIONS: `--import=${PRELOADED}`,
  CLOCK_AHEAD_MS: String((place - 1) * HOUR_MS),
})

/** Replicas whose clocks are an hour apart give the same verdict on an end date, and it is the database's. */
export const clocks: Run = async ({ effort, seed, say }) => {
  const random = createRandom(seed)
  const cluster = await startCluster({ random, env: clocksApart })
  try {
    const rounds = effort === 'full' ? ROUNDS.full : ROUNDS.quick
    const violations: Violation[] = []
    const seen: Record<string, number> = {}
    const wrong: string[] = []
    let [keys, exactToMs] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const { history, answers, ...ended } = await watchKeysEnd(cluster, random, KEYS_A_ROUND)
      violations.push(...violationsIn(history))
      wrong.push(...answers.wrong)
      for (const [words, count] of answers.counts) seen[words] = (seen[words] ?? 0) + count
      keys += ended.keys
      exactToMs = Math.max(exactToMs, ended.exactToMs)
      say(`keys that have ended ${keys}  violations ${violations.length}`)
    }
    return {
      figures: [
        { what: 'keys that reached their end', value: keys, wants: { atLeast: rounds * KEYS_A_ROUND } },
        { what: 'calls accepted', value: seen['200'] ?? 0, wants: { atLeast: keys } },
        { what: 'calls refused at the door', value: seen['401 API_KEY_EXPIRED'] ?? 0, wants: { atLeast: keys } },
        { what: 'calls refused for another reason', value: seen['401 API_KEY_INVALID'] ?? 0, wants: { atMost: 0 } },
        { what: "verdicts that differ, or are not the database's", value: violations.length, wants: { atMost: 0 } },
        { what: "how exactly the database's clock is known, ms", value: exactToMs },
      ],
      faults: { 'clocks an hour apart': cluster.replicas.length - 1 },
      answers: seen,
      wrong: firstOf([...violations.map(describeViolation), ...wrong, ...cluster.troubles()]),
    }
  } finally {
    await cluster.close()
  }
}
