import type { ExpressionBuilder } from 'kysely'
import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { jsonRows, ROWS_OF_A_STATEMENT } from '../db/json-rows.ts'
import type { DeviceCheckInsTable, Tables } from '../db/tables.ts'
import { DAY } from '../lib/clock.ts'
import { partsOf } from '../lib/parts.ts'
import type { Device } from './stored-device.ts'

/** How many days are stored and shown, the current one included. */
export const CHECK_IN_DAYS = 30

/** The check-ins of a device on one day of UTC. */
export interface CheckInDay {
  firstAt: number
  lastAt: number
  checkIns: number
}

/** What a device has counted, on the day of its first check-in in it. */
export type CountedCheckIns = Pick<Device, 'id' | 'lastSeenAt' | 'checkIns' | 'firstCheckInAt'>

const dayOf = (at: number) => at - (at % DAY)

/** The counts of a device after a check-in. */
export const countedIn = ({ checkIns, firstCheckInAt }: CountedCheckIns, now: number) =>
  isCountedToday(firstCheckInAt, now)
    ? { checkIns: (checkIns ?? 0) + 1, firstCheckInAt }
    : { checkIns: 1, firstCheckInAt: now }

/** A check-in that is late, by a clock that is behind, counts for the current day too. */
const isCountedToday = (firstCheckInAt: number | null, now: number) =>
  firstCheckInAt !== null && firstCheckInAt >= dayOf(now)

/** `countedIn` in SQL, for one device, with the time of the check-in. */
export const checkInAt = (now: number) => (eb: ExpressionBuilder<Tables, 'device'>) => {
  const isToday = eb('firstCheckInAt', '>=', dayOf(now))
  return {
    lastSeenAt: eb.case().when('lastSeenAt', '>', now).then(eb.ref('lastSeenAt')).else(now).end(),
    checkIns: eb
      .case()
      .when(isToday)
      .then(eb('checkIns', '+', 1))
      .else(1)
      .end(),
    firstCheckInAt: eb.case().when(isToday).then(eb.ref('firstCheckInAt')).else(now).end(),
  }
}

/** Whether a check-in now ends a day that has to be stored. */
export const endsDay = (before: Pick<Device, 'firstCheckInAt'> | undefined, now: number): boolean =>
  before !== undefined && before.firstCheckInAt !== null && !isCountedToday(before.firstCheckInAt, now)

/** Stores the days of locked devices that end with a check-in: once a day for each, so that every other check-in writes one row. */
export async function storeEndedDays(
  ctx: Pick<TransactionCtx, 'db' | 'reads' | 'now' | 'noteStored'>,
  devices: readonly (CountedCheckIns | undefined)[],
): Promise<void> {
  const now = ctx.now()
  const ended = devices.filter((device) => device !== undefined).filter((device) => endsDay(device, now))
  for (const part of partsOf(ended, ROWS_OF_A_STATEMENT)) {
    const days = await storedDays(
      ctx,
      part.map(({ id }) => id),
    )
    const rows = part.map((device, index) => ({
      deviceId: device.id,
      days: daysAsText([...(days[index] ?? []), countedOf(device)].filter(isRecent(now))),
    }))
    ctx.noteStored?.({ bytes: rows.reduce((sum, row) => sum + row.days.length, 0), events: 0, eventBytes: 0 })
    await ctx.db
      .insertInto('deviceCheckIns')
      .columns(['deviceId', 'days'])
      .expression(
        ctx.db
          .selectFrom(jsonRows<DeviceCheckInsTable, 'given'>(ctx.db, COLUMNS, rows, 'given'))
          .select(['given.deviceId', 'given.days'])
          .where('given.deviceId', 'is not', null), // without a condition here, SQLite takes `on` for part of a join
      )
      .onConflict((conflict) => conflict.column('deviceId').doUpdateSet((eb) => ({ days: eb.ref('excluded.days') })))
      .execute()
  }
}

const COLUMNS = { deviceId: 'text', days: 'text' } as const

/** The check-ins of a device in the last 30 days, the oldest first, with the days of it that are stored. */
export function checkInDays(device: CountedCheckIns, stored: readonly CheckInDay[], now: number): CheckInDay[] {
  const current = device.firstCheckInAt === null ? [] : [countedOf(device)]
  return [...stored, ...current].filter(isRecent(now))
}

const isRecent = (now: number) => (day: CheckInDay) => dayOf(day.firstAt) > dayOf(now) - CHECK_IN_DAYS * DAY

/** A version that does not count may have moved the last check-in to another day. */
function countedOf({ checkIns, firstCheckInAt, lastSeenAt }: CountedCheckIns): CheckInDay {
  const firstAt = firstCheckInAt ?? 0
  return { firstAt, lastAt: Math.min(lastSeenAt ?? firstAt, dayOf(firstAt) + DAY - 1), checkIns: checkIns ?? 0 }
}

/** Days as they are stored. */
export const daysAsText = (days: readonly CheckInDay[]) => JSON.stringify(days.map(written))

type Written = [firstAt: number, lastAfter: number, checkIns: number]

const written = ({ firstAt, lastAt, checkIns }: CheckInDay): Written => [firstAt, lastAt - firstAt, checkIns]

/** The devices are those of the organization: whoever has their rows has found them there. */
export async function storedDays({ reads }: Pick<Ctx, 'reads'>, ids: readonly string[]): Promise<CheckInDay[][]> {
  const rows = await reads.selectFrom('deviceCheckIns').selectAll().where('deviceId', 'in', ids).execute()
  const byId = new Map(rows.map(({ deviceId, days }) => [deviceId, days]))
  return ids.map((id) => {
    const days = JSON.parse(byId.get(id) ?? '[]') as Written[] // as written above
    return days.map(([firstAt, lastAfter, checkIns]) => ({ firstAt, lastAt: firstAt + lastAfter, checkIns }))
  })
}
