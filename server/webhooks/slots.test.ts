import { describe, expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const webhook = (id: string, failingSince: number | null = null, organizationId = 'o') => ({
  id,
  organizationId,
  failingSince,
  dueSince: 0,
})
const QUICK_MS = 100
const SLOW_MS = 5_000

type Webhook = ReturnType<typeof webhook>

/** Slots of which these webhooks have each used one, for so long. */
function slotsAfter(...used: [webhook: Webhook, tookMs: number][]) {
  const slots = createSlots()
  for (const [each, tookMs] of used) slots.take(each)(tookMs)
  const takeAll = (webhooks: readonly Webhook[]) =>
    webhooks.flatMap((each) => Array.from({ length: slots.roomFor(each) }, () => slots.take(each)))
  return { ...slots, takeAll }
}

const many = (length: number, name: string, failingSince: number | null = null) =>
  Array.from({ length }, (_, i) => webhook(`${name}-${i}`, failingSince))

describe('a webhook that answers quickly has four slots, beside others of its organization', () => {
  const quick = webhook('quick')

  it.for(['fail', 'are slow', 'have not answered yet'] as const)('that %s', (how) => {
    const others = many(19, 'other', how === 'fail' ? 1 : null)
    const before = how === 'are slow' ? others.map((each): [Webhook, number] => [each, SLOW_MS]) : []
    const slots = slotsAfter([quick, QUICK_MS], ...before)
    const releases = slots.takeAll(others)
    expect(releases).toHaveLength(4)
    expect(slots.roomFor(quick)).toBe(4)
    for (const release of releases) release(SLOW_MS)
    expect(slots.roomFor(others[5] ?? quick)).toBe(1)
  })
})

it('a webhook has one slot until it has answered quickly, and again after a slow answer', () => {
  const slots = slotsAfter()
  const room = [slots.roomFor(webhook('a'))]
  for (const tookMs of [QUICK_MS, SLOW_MS, QUICK_MS]) {
    slots.take(webhook('a'))(tookMs)
    room.push(slots.roomFor(webhook('a')))
  }
  expect(room).toEqual([1, 4, 1, 4])
})

it('webhooks that are slow leave most slots of a process to other organizations', () => {
  const slow = Array.from({ length: 40 }, (_, i) => webhook(`slow-${i}`, null, `o-${i}`))
  const slots = slotsAfter([webhook('quick'), QUICK_MS], ...slow.map((each): [Webhook, number] => [each, SLOW_MS]))
  expect(slots.takeAll(slow)).toHaveLength(16)
  expect([slots.roomFor(webhook('quick')), slots.roomFor(webhook('new'))]).toEqual([4, 1])
})
