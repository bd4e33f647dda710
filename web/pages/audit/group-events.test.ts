import { expect, it } from 'vitest'
import type { AuditAction } from '../../api/audit.ts'
import { groupEvents } from './group-events.ts'

const event = (action: AuditAction, at: string, id = 'ada') => ({
  action,
  at,
  actor: { kind: 'USER' as const, id, name: id },
})

const sizes = (events: ReturnType<typeof event>[]) => groupEvents(events).map((group) => group.length)

it('what one call did to more than three devices is together', () => {
  const added = event('DEVICE_CREATED', '2026-11-19T20:00:00.000Z')
  expect(sizes([added, added, added, added])).toEqual([4])
  expect(sizes([added, added, added])).toEqual([1, 1, 1])
})

it('another call, person or action is on its own', () => {
  const added = event('DEVICE_CREATED', '2026-11-19T20:00:00.000Z')
  const four = [added, added, added, added]
  expect(sizes([...four, event('DEVICE_CREATED', '2026-11-19T20:00:00.001Z')])).toEqual([4, 1])
  expect(sizes([...four, event('DEVICE_CREATED', added.at, 'bob')])).toEqual([4, 1])
  expect(sizes([...four, event('DEVICE_DELETED', added.at)])).toEqual([4, 1])
  const revoked = event('API_KEY_REVOKED', added.at)
  expect(sizes([revoked, revoked, revoked, revoked])).toEqual([1, 1, 1, 1])
})
