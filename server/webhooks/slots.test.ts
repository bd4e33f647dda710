import { expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const webhook = (id: string, failingSince: number | null) => ({ id, organizationId: 'o', failingSince, dueSince: 0 })

it('webhooks that fail leave room for the others of the same organization', () => {
  const slots = createSlots()
  const dead = Array.from({ length: 19 }, (_, i) => webhook(`dead-${i}`, 1))
  const releases = dead.flatMap((each) => (slots.roomFor(each) > 0 ? [slots.take(each)] : []))
  expect(releases).toHaveLength(4)
  expect(slots.roomFor(webhook('healthy', null))).toBe(4)
  for (const release of releases) release()
  expect(slots.roomFor(webhook('dead-5', 1))).toBe(1)
})
