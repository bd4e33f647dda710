import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { type SmtpServer, startSmtpServer } from '../../test/support/process/smtp-server.ts'
import { readSmtpAddress } from '../config/smtp-address.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { createMailer } from './smtp.ts'

type Mood = Parameters<SmtpServer['become']>[0]

async function start(options: Parameters<typeof createMailer>[1] = { idleMs: MINUTE }) {
  const server = await startSmtpServer()
  const smtp = readSmtpAddress(server.url, 'localhost')
  if (typeof smtp === 'string') throw new Error(smtp)
  const mailer = createMailer(smtp, options)
  onTestFinished(async () => {
    mailer.close()
    await server.close()
  })
  return {
    server,
    mailer,
    /** One after the other; what came of each. */
    send: async (...names: string[]) => {
      const outcomes: string[] = []
      for (const name of names) {
        const message = { to: `${name}@example.com`, subject: name, text: 'x', messageId: `<${name}@example.com>` }
        outcomes.push(
          await mailer.send(message).then(
            () => 'sent',
            ({ message }: Error) => message,
          ),
        )
      }
      return outcomes
    },
    /** Each email as often as the server has taken it. */
    taken: () => server.received.map(({ subject }) => subject),
  }
}

const AWAY = 'The mail server does not answer.'

it('sends emails one after the other over one connection, also after a refused one', async () => {
  const { server, send, taken } = await start()
  expect(await send('a', 'b')).toEqual(['sent', 'sent'])
  server.become('refuses the recipient')
  expect(await send('c')).toEqual(['The mail server refuses the email with 550.'])
  server.become('refuses the email')
  expect(await send('d')).toEqual(['The mail server refuses the email with 451.'])
  server.become('takes')
  expect(await send('e')).toEqual(['sent'])
  expect([taken(), server.conversations()]).toEqual([['a', 'b', 'e'], 1])
})

it('closes an idle connection, and opens another for the next email', async () => {
  const { server, send, taken } = await start({ idleMs: 50 })
  await send('a')
  await expect.poll(() => server.open()).toBe(0)
  expect(await send('b')).toEqual(['sent'])
  expect([taken(), server.conversations()]).toEqual([['a', 'b'], 2])
})

it('closes its connection when it is closed', async () => {
  const { server, send, mailer } = await start()
  await send('a')
  expect(server.open()).toBe(1)
  mailer.close()
  await expect.poll(() => server.open()).toBe(0)
})

it.each<Mood>(['hangs up afterwards', 'takes one email a connection'])(
  'a server that %s gets each email once, at the first attempt',
  async (mood) => {
    const { server, send, taken } = await start()
    server.become(mood)
    expect(await send('a', 'b', 'c')).toEqual(['sent', 'sent', 'sent'])
    expect([taken(), server.conversations()]).toEqual([['a', 'b', 'c'], 3])
  },
)

it('an email is not sent again automatically when the server dies before accepting it', async () => {
  const { server, send, taken } = await start()
  await send('a')
  server.become('hangs up')
  expect(await send('b')).toEqual([AWAY])
  server.become('takes')
  expect([taken(), await send('b', 'c'), taken()]).toEqual([['a'], ['sent', 'sent'], ['a', 'b', 'c']])
})

it('nor when the server dies after accepting it: only the queue sends it again', async () => {
  const { server, send, taken } = await start()
  await send('a')
  server.become('hangs up after taking')
  expect(await send('b')).toEqual([AWAY])
  server.become('takes')
  expect([taken(), await send('c'), taken()]).toEqual([['a', 'b'], ['sent'], ['a', 'b', 'c']])
})

it('an email that is not accepted in time is given up and its connection closed; the next has a new one', async () => {
  const { server, send, taken } = await start({ giveUpMs: 2.5 * SECOND, idleMs: MINUTE })
  await send('a')
  server.become('keeps silent')
  expect(await send('b')).toEqual([AWAY])
  await expect.poll(() => server.open()).toBe(0)
  server.become('takes')
  expect(await send('c')).toEqual(['sent'])
  expect([taken(), server.conversations()]).toEqual([['a', 'c'], 2])
})

it('a server without a greeting is given up in the same time, and not retried', async () => {
  const sockets = new Set<Socket>()
  let connections = 0
  const silent = createServer((socket) => {
    connections++
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo // it listens on a port
  const mailer = createMailer(
    { host: '127.0.0.1', port, secure: false, login: undefined, from: 'portal@example.com' },
    { giveUpMs: 300 },
  )
  const sent = mailer.send({ to: 'ada@example.com', subject: 'x', text: 'x', messageId: '<x@example.com>' })
  await expect(sent).rejects.toThrow(AWAY)
  await expect.poll(() => sockets.size).toBe(0)
  await pause(300)
  expect(connections).toBe(1)
})

it('a server that restarts at the same address is used again', async () => {
  const { server, send } = await start()
  await send('a')
  await server.close()
  expect(await send('b')).toEqual([AWAY])
  const again = await startSmtpServer({ port: Number(new URL(server.url).port) })
  onTestFinished(() => again.close())
  expect(await send('b')).toEqual(['sent'])
  expect(again.received.map(({ subject }) => subject)).toEqual(['b'])
})
