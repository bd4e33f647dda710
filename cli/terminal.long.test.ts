import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startWithCommandLine } from '../test/support/world/command-line.ts'
import { inWorld } from '../test/support/world/fixtures.ts'
import { startWorld } from '../test/support/world/world.ts'
import { table } from './table.ts'

const STEERS = '\u001b[2J\u009b31m\u202e\u2066\u0007'
const CONTROL_CHARACTERS = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u

const it = inWorld(startWithCommandLine).extend('portal', { scope: 'file' }, ({ world }) => world.portal)

it('prints no control characters, whatever is stored, and escapes them in JSON', async ({ world, portal, ada }) => {
  const acme = await world.organization('Acme', { admin: ada })
  const { id } = await acme.generateKey({ label: 'ci' })
  await world.database.transaction(async (db) => {
    const dirty = { label: `ci${STEERS}`, lastUsedAt: Date.now(), lastUsedIp: `10.0.0.1${STEERS}` }
    await db
      .updateTable('apiKey')
      .set({
        ...dirty,
        lastUsedUserAgent: `curl${STEERS}`,
        lastUsedOperation: `op${STEERS}`,
        createdByName: `Ada${STEERS}`,
      })
      .where('id', '=', id)
      .execute()
    await db
      .updateTable('organization')
      .set({ name: `Acme${STEERS}\nforged` })
      .where('slug', '=', acme.slug)
      .execute()
  })
  const commands = [
    ['key', 'show', id],
    ['key', 'list', '--org', acme.slug],
    ['key', 'revoke', id],
    ['key', 'prune', '--unused-for', '1d', '--dry-run'],
    ['org', 'list'],
    ['key', 'generate', '--org', acme.slug],
  ]
  for (const command of commands) {
    for (const form of [[], ['--json']]) {
      const { stdout, stderr } = await portal.run([...command, ...form], 'n\n')
      expect(`${stdout}${stderr}`, command.join(' ')).not.toMatch(CONTROL_CHARACTERS)
      expect(stdout + stderr).not.toBe('')
    }
  }
  const shown = await portal.answerOf<{ lastUsedUserAgent: string }>(['key', 'show', id])
  expect(shown.lastUsedUserAgent).toBe(`curl${STEERS}`)
})

it('a User-Agent with control characters or a key in it reaches neither the terminal nor the database', async ({
  world,
  portal,
  ada,
}) => {
  const acme = await world.organization('Acme', { admin: ada })
  const { id, secret } = await acme.generateKey({ label: 'ci' })
  const beside = await startWorld({ beside: { storage: world.storage }, now: world.clock.now })
  const headers = { 'content-type': 'application/json', 'api-secret': secret, 'user-agent': `\u009b31m${secret}` }
  const query = `query ${secret} { viewer { role } }`
  const { status } = await fetch(`${beside.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  await beside.close()
  const { stdout } = await portal.run(['key', 'show', id])
  expect([status, stdout.includes(secret), CONTROL_CHARACTERS.test(stdout)]).toEqual([200, false, false])
  expect(stdout).toContain('by 31m[secret] for [secret]')
})

it('a name with a line break cannot forge a line of a table', () => {
  expect(table(['id', 'label'], [['1', 'a\n2  forged']])).toBe('ID  LABEL\n1   a 2  forged')
})

it('only terminal.ts writes to the terminal', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const others = files.filter((path) => path.endsWith('.ts') && !/(^terminal|\.test)\.ts$/.test(path))
  expect(others.length).toBeGreaterThan(20)
  const writes = (path: string) =>
    /\b(stdout|stderr)\.write\(|console\./.test(readFileSync(join(import.meta.dirname, path), 'utf8'))
  expect(others.filter(writes)).toEqual([])
})
