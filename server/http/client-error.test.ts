import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createNonHttpRefusal } from './client-error.ts'

it('what is no HTTP is logged once a second, with how many others there were', async () => {
  let now = 0
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const server = createServer().on(
    'clientError',
    createNonHttpRefusal(
      log,
      {},
      () => 'r-1',
      () => now,
    ),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  const send = () => once(connect(port, '127.0.0.1').end('nonsense\r\n\r\n').resume(), 'close')

  await Promise.all(Array.from({ length: 50 }, send))
  now = SECOND - 1
  await send()
  expect(lines).toHaveLength(1)
  now = SECOND
  await send()
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ status: 400, reason: 'HPE_INVALID_METHOD', others: 50 })
})
