import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../../test/support/world.ts'
import { createLog } from '../lib/log.ts'
import { addRequestLog } from './request-log.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

it('tells of refused requests, with their id, but does not let a stranger fill the disk', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => world.asKey('hunter2').call('{ viewer { role } }')),
  )
  const lines = world.logged().map((line) => JSON.parse(line) as { requestId?: string; status?: number; ip?: string })
  const refused = lines.filter(({ status }) => status === 401)

  expect(refused.length).toBeGreaterThanOrEqual(1)
  expect(refused.length).toBeLessThan(20)
  expect(refused[0]).toMatchObject({ ip: '127.0.0.1', route: '/graphql' })
  expect(answers.map(({ errors }) => errors[0]?.extensions['requestId'])).toContain(refused[0]?.requestId)
})

it('tells of an outage once a second, not once for each request that it meets', async () => {
  const lines: string[] = []
  const app = fastify()
  addRequestLog(app, createLog('info', { write: (line: string) => lines.push(line) }))
  app.get('/away', (_request, reply) => reply.code(503).send())
  const answers = await Promise.all(Array.from({ length: 200 }, () => app.inject('/away')))
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]))
  expect(lines.length).toBeGreaterThanOrEqual(1)
  expect(lines.length).toBeLessThan(5)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', route: '/away', status: 503 })
  await app.close()
})
