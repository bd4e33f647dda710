import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { openConnections, sendOn } from '../../../test/support/world/at-once.ts'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inOrganization(startWorld)

const MANY = 1000
const STARTED = 'http.server.request.start'
const ANSWERED = 'http.server.response.finish'

const callWith = (secret: string) => ({
  headers: { 'content-type': 'application/json', 'api-secret': secret },
  body: { query: '{ devices { data { id } } }' },
})

it('C16: many calls of one organization that arrive together do not delay the call of another', async ({
  world,
  ada,
  key,
}) => {
  const other = await (await world.organization('Binford', { admin: ada })).generateKey()
  const sockets = await openConnections(world, MANY + 1)
  const seen: string[] = []
  const note = (message: unknown, channel: string | symbol) => {
    const { request } = message as { request: IncomingMessage } // as Node.js documents it
    const whose = request.headers['api-secret'] === other.secret ? 'the other' : 'the crowd'
    seen.push(`${channel === STARTED ? 'started' : 'answered'}: ${whose}`)
  }
  for (const channel of [STARTED, ANSWERED]) {
    subscribe(channel, note)
    onTestFinished(() => void unsubscribe(channel, note))
  }
  const crowd = Array.from({ length: MANY }, () => callWith(key.secret))
  const answers = await sendOn(sockets, [...crowd, callWith(other.secret)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MANY + 1)
  const whileItWaited = seen.slice(seen.indexOf('started: the other'), seen.indexOf('answered: the other'))
  expect(whileItWaited.filter((each) => each === 'answered: the crowd').length).toBeLessThan(MANY / 2) // as many as a fast machine answers in the first 10 ms
})
