import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { launch } from '../support/process/portal-process.ts'

const ENTRY = fileURLToPath(import.meta.resolve('../support/process/held-loop.ts'))

async function start() {
  const child = launch([ENTRY], {})
  child.stdout.setEncoding('utf8')
  const stderr = text(child.stderr)
  const isHere = async () => expect(String((await once(child.stdout, 'data'))[0])).toBe('here\n')
  await isHere()
  return {
    child,
    stderr,
    isHere,
    tell: (what: 'answer' | 'hold for a while' | 'for good') => child.stdin.write(`${what}\n`),
  }
}

it('C16: a process whose event loop is blocked for good is killed, with one line in the log', async () => {
  const { child, stderr, tell } = await start()
  tell('for good')
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  const [line, ...others] = (await stderr).trim().split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({ level: 60, pid: child.pid, msg: expect.stringContaining('watchdog') })
  expect(others).toEqual([])
})

it('C16: it is killed also where nobody reads its log', async () => {
  const { child, stderr, tell } = await start()
  stderr.catch(() => undefined) // it is cut off
  child.stderr.destroy()
  tell('for good')
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
})

it('C16: one that is blocked for a while is reported, and continues', async () => {
  const { isHere, tell } = await start()
  tell('hold for a while')
  await isHere()
})

it('a process that is paused for longer than the watchdog allows continues', async () => {
  const [stopped, held] = [await start(), await start()]
  stopped.child.kill('SIGSTOP')
  held.tell('for good')
  await once(held.child, 'exit')
  stopped.child.kill('SIGCONT')
  stopped.tell('answer')
  await stopped.isHere()
})
