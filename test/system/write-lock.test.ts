import { expect, it } from 'vitest'
import { holdWriteLock, startDemo, temporaryFolder } from '../support/process/portal-process.ts'
import { fieldOf } from '../support/world/people.ts'

const CLIENTS = 4
const LOOKUPS = 5
const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'

it('while another process holds the write lock, keys are looked up, and a mutation waits and then succeeds', async () => {
  const folder = temporaryFolder()
  const portal = await startDemo(folder)
  const ask = portal.asKey(portal.secret)
  await ask('{ viewer { role } }')
  const letGo = holdWriteLock(folder)
  let written = false
  const writing = ask(CREATE, { name: 'patient' }).finally(() => {
    written = true
  })
  const lookUp = async () => {
    for (let i = 0; i < LOOKUPS; i++) expect((await ask('{ viewer { role } }')).status).toBe(200)
  }
  await Promise.all(Array.from({ length: CLIENTS }, lookUp))

  expect(written).toBe(false)
  letGo()
  expect(fieldOf(await writing)).toEqual({ name: 'patient' })
})
