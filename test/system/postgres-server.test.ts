import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { type PostgresOptions, startPostgres } from '../support/postgres/postgres-server.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import { ROOT } from '../support/sources.ts'

/** A server that is gone when the test is over. */
async function ownServer(options?: PostgresOptions) {
  const server = await startPostgres(options)
  onTestFinished(() => server.close())
  return server
}

const add = (url: string, word: string) => askOnce(url)((sql) => sql`insert into words values (${word})`)
const words = (url: string) =>
  askOnce(url)(async (sql) => (await sql`select word from words order by word`).map(({ word }) => word))

it('a durable server keeps committed data over kill -9 and every kind of stop, on the same port', async () => {
  const server = await ownServer({ durable: true })
  const url = await server.createDatabase('kept')
  await askOnce(url)((sql) => sql`create table words (word text)`)

  const ends = { kill: server.kill, fast: () => server.stop('fast'), immediate: () => server.stop('immediate') }
  for (const [name, end] of Object.entries(ends)) {
    await add(url, name)
    await end()
    expect(server.pid()).toBeUndefined()
    await expect(words(url)).rejects.toThrow(/ECONNREFUSED/)
    await server.start()
  }
  expect(await words(url)).toEqual(['fast', 'immediate', 'kill'])
  const [{ committed } = {}] = await askOnce(url)(
    (sql) => sql`select pg_xact_commit_timestamp(xmin) as committed from words`,
  )
  expect(committed).toBeInstanceOf(Date)
})

it('a database is copied from a template, and has a language collation', async () => {
  const server = await ownServer()
  const template = await server.createDatabase('first')
  await askOnce(template)((sql) => sql`create table words (word text)`)
  for (const word of ['b', 'A', 'a', 'B']) await add(template, word)

  expect(await words(await server.createDatabase('second', { template: 'first' }))).toEqual(['a', 'A', 'b', 'B'])
})

it('a standby follows its primary, accepts no writes, and continues alone once it is promoted', async () => {
  const primary = await ownServer({ durable: true })
  await primary.createDatabase('followed')
  await askOnce(primary.url('followed'))((sql) => sql`create table words (word text)`)
  const standby = await primary.makeStandby()
  onTestFinished(() => standby.close())

  await add(primary.url('followed'), 'written later')
  await expect.poll(() => words(standby.url('followed'))).toEqual(['written later'])
  await expect(add(standby.url('followed'), 'refused')).rejects.toThrow(/read-only transaction/)

  await primary.kill()
  await standby.promote()
  await add(standby.url('followed'), 'taken over')
  expect(await words(standby.url('followed'))).toEqual(['taken over', 'written later'])
})

it('neither server nor folder remains after the process is killed', async () => {
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void owner.kill('SIGKILL'))
  const [line] = await once(createInterface(owner.stdout), 'line')
  const { folder, port } = JSON.parse(line)
  expect(existsSync(join(folder, 'data', 'postmaster.pid'))).toBe(true)
  expect(await answers(port)).toBe(true)

  owner.kill('SIGKILL')
  await expect.poll(() => existsSync(folder), { timeout: 10_000 }).toBe(false)
  expect(await answers(port)).toBe(false)
})

const OWNER = `
  const { startPostgres } = await import(${JSON.stringify(join(ROOT, 'test', 'support', 'postgres', 'postgres-server.ts'))})
  const { folder, port } = await startPostgres()
  console.log(JSON.stringify({ folder, port }))
`

function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return once(socket, 'connect').then(
    () => true,
    () => false,
  )
}
