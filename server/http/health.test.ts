import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import type { Deps } from '../caller/deps.ts'
import { createLog } from '../lib/log.ts'
import { sendError, toAppError } from './error-response.ts'
import { health } from './health.ts'

it('C16: /health/live is 503 for a short time after the event loop was blocked for seconds', async () => {
  let isStalled = false
  const app = fastify()
  app.setErrorHandler((error, _request, reply) => sendError(reply, toAppError(error, createLog('silent'))))
  await app.register(health({ watchdog: { isStalled: () => isStalled } } as Deps)) // all that it looks at here
  const live = async () => (await app.inject('/health/live')).statusCode
  expect(await live()).toBe(200)
  isStalled = true
  expect(await live()).toBe(503)
  isStalled = false
  expect(await live()).toBe(200)
  await app.close()
})
