import { expect, it } from 'vitest'
import { newId } from '../lib/id.ts'
import { cursorIn, positionIn } from './device-order.ts'
import type { Device } from './stored-device.ts'

const ORDERS = (['NAME', 'CREATED_AT', 'UPDATED_AT', 'LAST_SEEN_AT'] as const).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field, direction })),
)
const SEEN: Device = {
  id: newId(0),
  name: 'edge',
  nameKey: 'edge',
  description: null,
  enabled: 1,
  lastSeenAt: 1,
  firmwareVersion: null,
  tags: '[]',
  location: null,
  createdAt: 1,
  updatedAt: 1,
  checkIns: null,
  firstCheckInAt: null,
}

it.each([SEEN, { ...SEEN, lastSeenAt: null }])('a cursor is accepted in its own order alone', (device) => {
  for (const order of ORDERS)
    for (const other of ORDERS) {
      const read = () => positionIn(order, cursorIn(other, device))
      if (order === other) expect(read).not.toThrow()
      else expect(read, `${JSON.stringify(other)} in ${JSON.stringify(order)}`).toThrow('of another orderBy')
    }
})
