import { EVERY_ACCESS } from '../caller/key-rules.ts'
import { builder } from '../graphql/builder.ts'
import { load } from '../graphql/loaders.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { CHECK_IN_DAYS, type CheckInDay, checkInDays, storedDays } from './check-in-days.ts'
import { DeviceType } from './device.graphql.ts'

const DeviceCheckInDayType = builder.objectRef<CheckInDay>('DeviceCheckInDay').implement({
  description: 'The check-ins of a device on one day of UTC.',
  fields: (t) =>
    plainFields(t, EVERY_ACCESS, {
      'firstAt: DateTime!': 'The first check-in of the day.',
      'lastAt: DateTime!': 'The last check-in of the day.',
      'checkIns: Int!': 'How many there were.',
    }),
})

builder.objectField(DeviceType, 'checkInDays', (t) =>
  t.field({
    access: EVERY_ACCESS,
    cost: { maxItems: CHECK_IN_DAYS, weight: 0.25 },
    type: [DeviceCheckInDayType],
    description: `Its check-ins of the last ${CHECK_IN_DAYS} days of UTC by day, the oldest first. Days without one are omitted.`,
    resolve: async (device, _args, ctx) => {
      const stored = await load(ctx, 'days of check-ins', device.id, (ids) => storedDays(ctx, ids))
      return checkInDays(device, stored, ctx.now())
    },
  }),
)
