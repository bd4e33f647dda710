import { expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../../test/support/world.ts'

const KNOWN = '{ viewer { role } }'
/** Dear to validate, since none of its fields is known. */
const unknown = (i: number) => `{ viewer { ${Array.from({ length: 1900 }, (_, k) => `x${i + k}`).join(' ')} } }`

it('a flood of new documents is refused with 429, while cached ones and those of others are answered', async () => {
  const world = await startWorld({ env: { RATE_LIMIT: 'off' } })
  onTestFinished(() => world.close())
  const ada = await world.signUp('Ada')
  const [acme, globex] = [
    await world.organization('Acme', { admin: ada }),
    await world.organization('Globex', { admin: ada }),
  ]
  const flooding = world.asKey((await world.generateKey(ada, acme)).secret)
  const quiet = world.asKey((await world.generateKey(ada, globex)).secret)
  await Promise.all([flooding.call(KNOWN), quiet.call(KNOWN)])

  async function counted(): Promise<number> {
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    const lines = [...metrics.matchAll(/portal_limit_refusals_total\{limit="documents\w*"\} (\d+)/g)]
    return lines.reduce((sum, [, count]) => sum + Number(count), 0)
  }

  const before = await counted() // other tests of the process count too
  const flood = Promise.all(Array.from({ length: 150 }, (_, i) => flooding.call(unknown(i))))
  for (let i = 0; i < 5; i++) {
    expect((await flooding.call(KNOWN)).status).toBe(200)
    expect((await quiet.call(`{ viewer { mine${i}: role } }`)).data).toBeTruthy()
  }
  const refused = (await flood).filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(50)
  for (const { errors, headers } of refused) {
    expect(errors).toMatchObject([{ code: 'RATE_LIMITED', message: expect.stringContaining('as variables') }])
    expect(headers.get('retry-after')).toBe('1')
  }
  expect((await counted()) - before).toBe(refused.length)
})

it('the same new document many times at once is checked once, and nobody is refused for it', async () => {
  const world = await startWorld({ env: { RATE_LIMIT: 'off' } })
  onTestFinished(() => world.close())
  const ada = await world.signUp('Ada')
  const acme = await world.organization('Acme', { admin: ada })
  const script = world.asKey((await world.generateKey(ada, acme)).secret)
  await script.call(KNOWN)

  const answers = await Promise.all(Array.from({ length: 150 }, () => script.call(unknown(0))))
  const first = answers[0]?.errors.map(({ message }) => message)
  expect(first).toHaveLength(10)
  for (const { status, errors } of answers) expect([status, errors.map(({ message }) => message)]).toEqual([200, first])
})
