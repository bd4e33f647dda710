import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { allocations } from './allocations.ts'
import { bulk } from './bulk.ts'
import { busyKeys } from './busy-keys.ts'
import { connections } from './connections.ts'
import { devicesGrowth } from './devices-growth.ts'
import { documents } from './documents.ts'
import { lighthouse } from './lighthouse.ts'
import { memory } from './memory.ts'
import { overview } from './overview.ts'
import { throughput } from './p1-throughput.ts'
import { alternatives } from './p2-alternatives.ts'
import { growth } from './p3-growth.ts'
import { refusal } from './p4-refusal.ts'
import { sharedLookups } from './p5-shared-lookups.ts'
import { start } from './p6-start.ts'
import { revoke } from './p7-revoke.ts'
import { firstLoad } from './p8-first-load.ts'
import { workers } from './p10-workers.ts'
import { onPostgres } from './p11-postgres.ts'
import { bystander } from './p12-bystander.ts'
import { pageSize } from './page-size.ts'
import { revokes } from './revokes.ts'
import { cleanUpOnExit } from './support/children.ts'
import { startGenerator } from './support/generator.ts'
import { isPeer } from './support/peer.ts'
import { profileUnderLoad } from './support/profile.ts'
import { createProgress, type Progress } from './support/progress.ts'
import type { Bench, Effort, Question } from './support/question.ts'
import { conditionsOf, describe, writeJson, writeReadme } from './support/report.ts'
import { seedFleet } from './support/seed.ts'
import { cpuTime, stolenShare } from './support/stolen-time.ts'
import { type Answered, absentLines, findingsTable, hasMissed, systemsTable, verdictLine } from './support/table.ts'
import { unseen } from './unseen.ts'
import { web } from './web.ts'
import { writes } from './writes.ts'

const BUDGETS = [
  throughput,
  alternatives,
  growth,
  refusal,
  sharedLookups,
  start,
  revoke,
  firstLoad,
  workers,
  onPostgres,
  bystander,
]
const QUESTIONS: Question[] = [
  ...BUDGETS,
  revokes,
  bulk,
  writes,
  busyKeys,
  devicesGrowth,
  overview,
  connections,
  pageSize,
  documents,
  memory,
  unseen,
  web,
  lighthouse,
  allocations,
]

const FULL: Effort = {
  rounds: 12,
  roundMs: 1000,
  warmUpMs: 2000,
  warmUpRequests: 25_000,
  instances: 3,
  starts: 7,
  manyKeys: 1_000_000,
  manyDevices: 1_000_000,
  revokes: 400,
  calls: 1_000_000,
  visits: 5,
  attackMs: 20_000,
}
const QUICK: Effort = {
  rounds: 4,
  roundMs: 300,
  warmUpMs: 2000,
  warmUpRequests: 25_000,
  instances: 1,
  starts: 2,
  manyKeys: 50_000,
  manyDevices: 5000,
  revokes: 40,
  calls: 10_000,
  visits: 2,
  attackMs: 5000,
}

const USAGE = `npm run bench [-- [--quick] [--save] [--profile] [P1 memory …]]
  --quick    a try of the budgets in about two minutes; its numbers are rough
  --save     puts the numbers and a chart into bench/README.md
  --profile  where the portal spends its time under the load of P1, in place of the questions; --profile yoga: where Yoga does`

const MISSED = 2

const FLAGS = { quick: { type: 'boolean' }, save: { type: 'boolean' }, profile: { type: 'boolean' } } as const

cleanUpOnExit()
try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(`\nThe bench has failed. ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
process.exit()

async function main(args: string[]): Promise<void> {
  const { values: flags, positionals: ids } = parseArgs({ args, allowPositionals: true, options: FLAGS })
  const isKnown = (id: string) => (flags.profile ? isPeer(id) : QUESTIONS.some((question) => question.id === id))
  const unknown = ids.filter((id) => !isKnown(id))
  if (unknown.length > 0) throw new Error(`There is no question ${unknown.join(', ')}.\n${USAGE}`)
  const byDefault = ({ isLong }: Question) => !(flags.quick && isLong)
  const questions = QUESTIONS.filter((question) => (ids.length === 0 ? byDefault(question) : ids.includes(question.id)))

  const startedAt = performance.now()
  const [loadBefore = 0] = loadavg()
  const cpuBefore = cpuTime()
  const progress = createProgress()
  const fleet = await seedFleet({ keys: 1000 }, progress)
  const bench: Bench = { effort: flags.quick ? QUICK : FULL, progress, fleet, generator: startGenerator() }
  if (flags.profile) return tell(progress, await profileUnderLoad(bench, ids.find(isPeer)))

  const answers: Answered[] = []
  const failures: string[] = []
  for (const { id, asks, answer } of questions) {
    try {
      answers.push({ id, asks, ...(await answer(bench)) })
    } catch (error) {
      failures.push(`${id}: ${error instanceof Error ? error.message : error}`) // half an hour of others is not lost
    }
  }
  const conditions = conditionsOf(args, {
    loadBefore,
    stolenShare: stolenShare(cpuBefore, cpuTime()),
    tookSeconds: (performance.now() - startedAt) / 1000,
  })
  tell(progress, findingsTable(answers), systemsTable(answers), absentLines(answers), describe(conditions))
  console.log(`All of it as JSON: ${writeJson(conditions, answers)}`)
  if (failures.length > 0) throw new Error(`No answer, and nothing saved on the page:\n${failures.join('\n')}`)
  if (flags.save) writeReadme(conditions, answers)
  console.log(`\n${verdictLine(answers)}`)
  if (hasMissed(answers)) process.exitCode = MISSED
}

function tell(progress: Progress, ...parts: string[]): void {
  progress.done()
  console.log(`\n${parts.filter((part) => part !== '').join('\n\n')}\n`)
}
