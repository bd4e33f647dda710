import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { graphqlRequest, openHttpConnection } from './http-connection.ts'

/** A server that does with each request, by its number, what the test says. */
async function connectionTo(answer: (socket: Socket, number: number) => void, timeoutMs = 5000) {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => answer(socket, ++requests))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const connection = openHttpConnection(typeof address === 'object' && address ? address.port : 0, timeoutMs)
  onTestFinished(() => {
    connection.close()
    server.close()
  })
  return connection
}

const REQUEST = graphqlRequest('a secret', '{ viewer { role } }')
const answerWith = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

it('a request has its length in bytes', () => {
  const [head = '', body = ''] = graphqlRequest('s', '{ a }', { name: 'Köln' }).split('\r\n\r\n')
  expect(head).toContain(`\r\ncontent-length: ${Buffer.byteLength(body)}`)
  expect(head).toContain('\r\napi-secret: s')
  expect(JSON.parse(body)).toEqual({ query: '{ a }', variables: { name: 'Köln' } })
})

it('requests run one after the other on one connection, each with its own answer, however it is split', async () => {
  const connection = await connectionTo((socket, number) => {
    const bytes = Buffer.from(answerWith(`Köln ${number}`))
    const middle = bytes.indexOf('ö') + 1 // in the middle of a letter
    socket.setNoDelay(true)
    socket.write(bytes.subarray(0, middle))
    setImmediate(() => socket.write(bytes.subarray(middle)))
  })
  expect(await connection.send(REQUEST)).toMatchObject({ status: 200, body: 'Köln 1' })
  const second = connection.send(REQUEST)
  expect(connection.isBusy).toBe(true)
  expect(await second).toMatchObject({ status: 200, body: 'Köln 2' })
  expect([connection.isBusy, connection.isOpen]).toEqual([false, true])
})

it('an answer that is the last on its connection leaves it closed', async () => {
  const connection = await connectionTo((socket) => {
    socket.write(answerWith('last').replace('\r\n', '\r\nConnection: close\r\n'))
  })
  expect(await connection.send(REQUEST)).toMatchObject({ body: 'last' })
  expect(connection.isOpen).toBe(false)
})

it('a delayed body is sent when it is released, and not before', async () => {
  const { promise: headSeen, resolve: seeHead } = Promise.withResolvers<void>()
  const connection = await connectionTo((socket, number) => {
    if (number === 1) seeHead()
    else socket.write(answerWith('whole'))
  })
  const answer = connection.send(REQUEST, headSeen)
  expect(await answer).toMatchObject({ body: 'whole' })
  expect(connection.isOpen).toBe(true)
})

it('a delayed body has its whole time, however long it was delayed', async () => {
  const timeoutMs = 500
  const connection = await connectionTo((socket, number) => {
    if (number > 1) socket.write(answerWith('whole'))
  }, timeoutMs)
  expect(await connection.send(REQUEST, pause(2 * timeoutMs))).toMatchObject({ body: 'whole' })
})

it('a connection that is answered while its body is delayed is not used again', async () => {
  const connection = await connectionTo((socket) => socket.write(answerWith('too early')))
  const never = new Promise<void>(() => {})
  expect(await connection.send(REQUEST, never)).toMatchObject({ body: 'too early' })
  expect(connection.isOpen).toBe(false)
})

it('a connection that ends before the answer is complete has lost it', async () => {
  const connection = await connectionTo((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
  await expect(connection.send(REQUEST)).rejects.toMatchObject({ why: 'connection lost' })
  expect(connection.isOpen).toBe(false)
  await expect(connection.send(REQUEST)).rejects.toMatchObject({ why: 'connection lost' })
})

it('a late answer is not waited for, and the connection is not used again', async () => {
  const connection = await connectionTo(() => {}, 50)
  await expect(connection.send(REQUEST)).rejects.toMatchObject({ why: 'no answer in time' })
  expect(connection.isOpen).toBe(false)
})
