import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { shareBursts } from './share-bursts.ts'

/** Accepts connections, and returns after how many of them there was a pause, of a tenth of a millisecond each. */
function acceptWith() {
  let time = 5_000
  let pauses = 0
  const server = createServer()
  const pause = () => {
    pauses++
    time += 0.1
  }
  shareBursts(server, { now: () => time, pause })
  return (count: number, everyMs: number) => {
    pauses = 0
    for (let i = 0; i < count; i++) {
      server.emit('connection')
      time += everyMs
    }
    return pauses
  }
}

test('a worker pauses after each connection of a burst but the first', () => {
  expect(acceptWith()(64, 0.1)).toBe(63)
})

test('it does not pause for connections that come one after the other', () => {
  expect(acceptWith()(64, 1)).toBe(0)
})

test('a burst without end costs 20 ms a second, and goes on costing no more', () => {
  const accept = acceptWith()
  const inTwoSeconds = accept(8_000, 0.25)
  expect(inTwoSeconds).toBeGreaterThan(390)
  expect(inTwoSeconds).toBeLessThan(620) // a third second has begun
})

test('by default it does pause, and only for a moment', () => {
  const server = createServer()
  shareBursts(server)
  const start = performance.now()
  for (let i = 0; i < 101; i++) server.emit('connection')
  const took = performance.now() - start
  expect(took).toBeGreaterThan(100 * 0.05)
  expect(took).toBeLessThan(5_000)
})
