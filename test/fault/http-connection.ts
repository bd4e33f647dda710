import { connect } from 'node:net'

const REQUEST_ID = /\r\nx-request-id: ([0-9a-z]+)-/i
const LAST_ON_ITS_CONNECTION = /\r\nconnection: close/i
/** Less than the portal says (`Keep-Alive: timeout`): it must not close a connection under a request on its way. */
const LONGEST_IDLE_MS = 60_000

/** What came back, its head as it is on the wire. */
export interface HttpAnswer {
  status: number
  head: string
  body: string
}

/** One keep-alive connection with one request at a time. Bare sockets: the load must cost less than what it is put on. */
export interface HttpConnection {
  readonly isBusy: boolean
  readonly isOpen: boolean
  /**
   * Throws when the connection ends, or time does, before the answer is whole. With `release` the body goes out no sooner than
   * that, and time counts from there; who is answered before has no use for the connection any more.
   */
  send(request: string, release?: Promise<void>): Promise<HttpAnswer>
  close(): void
}

/** How a request ended that has no answer. */
export class NoAnswer extends Error {
  readonly why: 'connection lost' | 'no answer in time'
  constructor(why: NoAnswer['why']) {
    super(why)
    this.why = why
  }
}

/** The process that answered: its mark in the ids of requests. */
export const answeredBy = (head: string) => REQUEST_ID.exec(head)?.[1]

/** A GraphQL call as it goes over the wire. */
export function graphqlRequest(secret: string, query: string, variables?: object, extensions?: object): string {
  const body = JSON.stringify({ query, ...(variables && { variables }), ...(extensions && { extensions }) })
  const head = `POST /graphql HTTP/1.1\r\nhost: portal\r\ncontent-type: application/json\r\napi-secret: ${secret}`
  return `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export function openHttpConnection(port: number, timeoutMs: number): HttpConnection {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let underWay: PromiseWithResolvers<HttpAnswer> | undefined
  let received = ''
  let isOpen = true
  let isHeldBack = false

  const fail = (why: NoAnswer['why']) => {
    isOpen = false
    socket.destroy()
    underWay?.reject(new NoAnswer(why))
    underWay = undefined
  }
  socket.setEncoding('utf8')
  socket.on('error', () => {}) // what follows is 'close'
  socket.on('close', () => fail('connection lost'))
  socket.on('end', () => fail('connection lost'))
  socket.setTimeout(LONGEST_IDLE_MS, () => {
    if (!underWay) fail('connection lost')
  })
  socket.on('data', (text) => {
    received += text
    const answer = wholeAnswer(received)
    if (!answer) return
    received = ''
    const { resolve } = underWay ?? {}
    underWay = undefined
    resolve?.(answer)
    if (isHeldBack) fail('connection lost') // the next request would be taken for the body of this one
    if (LAST_ON_ITS_CONNECTION.test(answer.head)) fail('connection lost')
  })

  return {
    get isBusy() {
      return underWay !== undefined
    },
    get isOpen() {
      return isOpen
    },
    async send(request, release) {
      if (!isOpen) throw new NoAnswer('connection lost')
      underWay = Promise.withResolvers()
      let timer: NodeJS.Timeout | undefined
      const awaitAnswer = () => {
        timer = setTimeout(() => fail('no answer in time'), timeoutMs)
      }
      const bodyAt = request.indexOf('\r\n\r\n') + 4
      isHeldBack = release !== undefined
      socket.write(isHeldBack ? request.slice(0, bodyAt) : request)
      if (!isHeldBack) awaitAnswer()
      void release?.then(() => {
        isHeldBack = false
        if (!isOpen) return
        awaitAnswer()
        socket.write(request.slice(bodyAt))
      })
      try {
        return await underWay.promise
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => fail('connection lost'),
  }
}

/** The answer, once all of it is there; the portal always says how long a body is. */
function wholeAnswer(text: string): HttpAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = text.slice(0, end)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error(`An answer does not say how long it is: ${head}`)
  const body = text.slice(end + 4)
  if (Buffer.byteLength(body) < Number(length)) return undefined
  return { status: Number(head.slice(9, 12)), head, body }
}
