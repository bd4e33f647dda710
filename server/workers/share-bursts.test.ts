import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { shareBursts } from './share-bursts.ts'

function acceptWith() {
  let time = 5_000
  let pauses = 0
  const server = createServer()
  shareBursts(server, { now: () => time, pause: () => void pauses++ })
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

test('a burst without end costs 200 pauses a second', () => {
  const accept = acceptWith()
  expect(accept(4_000, 0.25)).toBe(200)
  expect(accept(8_000, 0.25)).toBe(400)
})

test('the pause by default is a short one', () => {
  const server = createServer()
  shareBursts(server)
  const start = performance.now()
  for (let i = 0; i < 101; i++) server.emit('connection')
  expect(performance.now() - start).toBeGreaterThan(100 * 0.05)
})
