import { createCallLog } from '../../api-keys/calls/call-log.ts'
import { writeCalls } from '../../api-keys/calls/write-calls.ts'
import { createUsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write-usage.ts'
import type { Deps } from '../../caller/deps.ts'
import type { DemoDeviceTable } from '../../db/tables.ts'
import { checkInAt, storeEndedDays } from '../../devices/check-in-days.ts'
import { MINUTE } from '../../lib/clock.ts'

const EVERY_MS = MINUTE
/** A flaky device is away for as long as it is there. */
const FLAKY_MS = 10 * MINUTE
const ADDRESS = '10.20.0.7'
const OPERATION = 'checkInDevice'

/** Lets the devices of the demo check in until it is closed, as their key would. Other devices are never touched. */
export function startDemoActivity(
  { database, now, log }: Pick<Deps, 'database' | 'now' | 'log'>,
  everyMs = EVERY_MS,
): { close(): Promise<void> } {
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), log)
  const calls = createCallLog((entries) => writeCalls(database, entries), log, now)
  let inProgress = Promise.resolve()

  async function checkIn(): Promise<void> {
    const at = now()
    const devices = (await usable(at)).filter((device, index) => isAwake(device, index, at))
    if (devices.length === 0) return
    const ids = devices.map(({ deviceId }) => deviceId)
    await database.transaction(async (db) => {
      const before = db.selectFrom('device').select(['id', 'lastSeenAt', 'checkIns', 'firstCheckInAt'])
      await storeEndedDays({ db, reads: db, now: () => at }, await before.where('id', 'in', ids).execute())
      await db.updateTable('device').set(checkInAt(at)).where('id', 'in', ids).execute()
    })
    for (const [index, { keyId }] of devices.entries()) {
      usage.noteCall(keyId, { at, from: ADDRESS, agent: 'edge-agent/4.2', operation: OPERATION, fields: [OPERATION] })
      const ms = 3 + (index % 5) / 2
      calls.note(keyId, true, { at, operation: OPERATION, address: ADDRESS, status: 200, ms, code: undefined })
    }
    await calls.flush({ all: true })
  }

  /** The devices whose key is accepted: without it they fall silent, as real ones would. */
  const usable = (at: number) =>
    database.read
      .selectFrom('demoDevice')
      .innerJoin('device', 'device.id', 'demoDevice.deviceId')
      .innerJoin('apiKey', 'apiKey.id', 'demoDevice.keyId')
      .whereRef('apiKey.organizationId', '=', 'device.organizationId')
      .where((eb) => eb.or([eb('apiKey.expiresAt', 'is', null), eb('apiKey.expiresAt', '>', at)]))
      .where((eb) => eb.or([eb('apiKey.pausedUntil', 'is', null), eb('apiKey.pausedUntil', '<=', at)]))
      .select(['demoDevice.deviceId', 'demoDevice.keyId', 'demoDevice.pattern'])
      .orderBy('demoDevice.deviceId')
      .execute()

  const tick = () => {
    inProgress = inProgress
      .then(checkIn)
      .catch((err) => log.warn({ err }, 'the devices of the demo could not check in'))
    return inProgress
  }
  void tick()
  const timer = setInterval(tick, everyMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await inProgress
      await usage.close()
    },
  }
}

const isAwake = ({ pattern }: DemoDeviceTable, index: number, at: number) =>
  pattern === 'STEADY' || (Math.floor(at / FLAKY_MS) + index) % 2 === 0
