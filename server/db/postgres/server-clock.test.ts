import { expect, it } from 'vitest'
import { createServerClock } from './server-clock.ts'

const NOON = Date.UTC(2026, 10, 15, 12)

function clockFrom(start: number) {
  let here = start
  const clock = createServerClock(() => here)
  const pass = (ms: number) => {
    here += ms
  }
  return { clock, pass }
}

it('follows the server, whatever the clock of this machine says', () => {
  const { clock, pass } = clockFrom(123)
  clock.learn(NOON)
  expect(clock.now()).toBe(NOON)
  pass(1500.7)
  expect(clock.now()).toBe(NOON + 1500)
})

it('uses the fastest answer, not a delayed one', () => {
  const { clock, pass } = clockFrom(0)
  clock.learn(NOON)
  pass(1000)
  clock.learn(NOON + 600) // 400 ms on its way
  expect(clock.now()).toBe(NOON + 1000)
  pass(1000)
  clock.learn(NOON + 2050) // so the first one was 50 ms late
  expect(clock.now()).toBe(NOON + 2050)
})

it('follows a server that drifts, and one whose clock was set back', () => {
  const { clock, pass } = clockFrom(0)
  clock.learn(NOON)
  pass(11_000)
  clock.learn(NOON + 10_900)
  expect(clock.now()).toBe(NOON + 10_900)
  pass(1000)
  clock.learn(NOON - 3_600_000)
  expect(clock.now()).toBe(NOON - 3_600_000)
})

it('ignores a small step back', () => {
  const { clock, pass } = clockFrom(0)
  clock.learn(NOON)
  pass(11_000)
  const before = clock.now()
  clock.learn(NOON + 10_500)
  expect(clock.now()).toBe(before)
  pass(501)
  expect(clock.now()).toBe(before + 1)
})
