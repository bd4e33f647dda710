import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type FilesOf, shareOf } from './support/profile-share.ts'
import type { Bench, Finding, Question, SystemRow } from './support/question.ts'
import { alternateAnew, type Measure, measure, rowOf } from './support/rounds.ts'
import type { Fleet } from './support/seed.ts'
import { startStage } from './support/stage.ts'
import { summarize } from './support/statistics.ts'
import { timeAuditEvents, watchLastUsed } from './support/unseen-writes.ts'

const ROOT = join(import.meta.dirname, '..')

/** By the files that do it. Under this load, only the last-used times are written through Kysely. */
function parts(): Record<string, (files: FilesOf) => boolean> {
  const [notesLastUse, asksKysely] = [
    isIn('server/api-keys/usage/counter.ts', 'server/api-keys/usage/write-usage.ts'),
    isIn('node_modules/kysely'),
  ]
  const isPrepared = isIn('server/db/prepared.ts')
  return {
    metrics: isIn('server/http/metrics.ts'),
    'the log at its default, which writes nothing': isIn('server/http/access-log.ts'),
    'limits on requests': isIn('server/endpoints/rate-limit.ts'),
    'noting the last use and writing it': (files) => notesLastUse(files) || (asksKysely(files) && !isPrepared(files)),
  }
}

function isIn(...paths: string[]): (files: FilesOf) => boolean {
  const missing = paths.filter((path) => !existsSync(join(ROOT, path)))
  if (missing.length > 0) throw new Error(`${missing.join(', ')} does not exist: name the file that does its work now.`)
  return (files) => files.some((file) => paths.some((path) => file.includes(`/${path}`)))
}

/** Overhead that users do not see, in every call. */
export const unseen: Question = {
  id: 'unseen',
  asks: 'the share of last-used times, audit events, log, metrics and limits in the CPU of a call',
  isLong: true,
  async answer(bench) {
    const settings = await compareSettings(bench)
    const parts = await profileParts(bench)
    const writes = [...(await watchLastUsed(bench)), ...(await timeAuditEvents(bench))]
    return { findings: [...settings.findings, ...parts, ...writes], systems: settings.systems }
  },
}

const withSettings = (fleet: Fleet, settings: Record<string, string>): Fleet => ({
  ...fleet,
  settings: { ...fleet.settings, ...settings },
})

/** What can be switched off: portals with it and without it, in turns. */
async function compareSettings(bench: Bench): Promise<{ findings: Finding[]; systems: SystemRow[] }> {
  const { fleet, effort } = bench
  const shorter = { ...bench, effort: { ...effort, rounds: Math.ceil(effort.rounds / 2) } }
  const names = ['without limits', 'with limits', 'a line in the log for each call'] as const
  const start = async () =>
    [
      await startStage(names[0], withSettings(fleet, { RATE_LIMIT: 'off' })),
      await startStage(names[1], fleet),
      await startStage(names[2], withSettings(fleet, { RATE_LIMIT: 'off', LOG_LEVEL: 'debug' })),
    ] as const
  const [without, limited, logged] = await alternateAnew(shorter, 'unseen', start)
  return {
    findings: [
      ...differenceOf('limits on requests, against RATE_LIMIT=off', limited, without),
      ...differenceOf('a line in the log for each call, LOG_LEVEL=debug', logged, without),
    ],
    systems: [rowOf(names[0], without), rowOf(names[1], limited), rowOf(names[2], logged)],
  }
}

function differenceOf(what: string, dear: Measure[], cheap: Measure[]): Finding[] {
  const pairs = dear.map(({ cpuMicros }, i) => ({ cpuMicros, without: cheap[i]?.cpuMicros ?? Number.NaN }))
  const micros = pairs.map(({ cpuMicros, without }) => cpuMicros - without)
  const shares = pairs.map(({ cpuMicros, without }) => 100 * (1 - without / cpuMicros))
  return [
    { what: `${what}: CPU a call`, value: summarize(micros), unit: 'µs' },
    { what: `${what}: share of the call`, value: summarize(shares), unit: '%' },
  ]
}

/** What cannot be switched off: its share of the samples of a profile. */
async function profileParts({ fleet, generator, effort, progress }: Bench): Promise<Finding[]> {
  const stage = await startStage('portal', fleet)
  progress.say('unseen · a profile of the portal under load')
  await measure(stage, generator, effort.warmUpMs)
  const { cpuMicros } = await measure(stage, generator, effort.warmUpMs)
  const profile = await stage.system.profileDuring(() => measure(stage, generator, effort.roundMs * effort.rounds))
  await stage.system.stop()
  return Object.entries(parts()).flatMap(([what, isPart]): Finding[] => {
    const share = shareOf(profile, isPart)
    return [
      { what: `${what}: CPU a call, by its share`, value: summarize([share * cpuMicros]), unit: 'µs' },
      { what: `${what}: share of the call, by a profile`, value: summarize([share * 100]), unit: '%' },
    ]
  })
}
