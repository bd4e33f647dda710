import { Registry } from 'prom-client'
import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { createLog } from '../lib/log.ts'
import { createRecordRequest } from './access-log.ts'

const it = inWorld(startWorld)

it('logs refused requests with their id, but a stranger cannot fill the disk', async ({ world }) => {
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

it('logs the route of a request and not its address, which may have a token', async ({ world }) => {
  await fetch(`${world.url}/auth/sign-in?token=in-the-address`, { method: 'POST' })
  const lines = () => world.logged().filter((line) => line.includes('/auth/sign-in'))
  await expect.poll(lines).toEqual([expect.stringContaining('"route":"/auth/sign-in"')])
  expect(world.logged().join()).not.toContain('in-the-address')
})

it('logs an outage once a second, not for each request', () => {
  const lines: string[] = []
  let time = 0
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const note = createRecordRequest(log, new Registry(), () => time)
  for (const at of [...Array<number>(200).fill(0), 999, 1000]) {
    time = at
    note({ requestId: `r-${at}`, method: 'GET', route: '/away', status: 503, ms: 1.25, ip: '127.0.0.1' })
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', route: '/away', status: 503, ms: 1.3 },
    { requestId: 'r-1000', others: 200 },
  ])
})
