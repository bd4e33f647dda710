import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** An email as it came over the wire. */
export interface Received {
  from: string
  to: string[]
  subject: string
  messageId: string
  headers: string
  /** Decoded. */
  text: string
}

type Mood =
  | 'takes'
  | 'waits to be told'
  | 'refuses the recipient'
  | 'refuses the email'
  | 'keeps silent'
  | 'hangs up'
  | 'hangs up afterwards'
  | 'takes one email a connection'
  | 'hangs up after taking'

interface Options {
  /** Any that is free, unless it comes back where one was. */
  port?: number
  login?: { user: string; password: string }
  /** Called with how many it has taken, before the other side is told so; on `silent` it is never told. */
  onTaken?: (count: number) => 'silent' | undefined
}

/** A real SMTP server on a loopback port, which can be told to behave badly. */
export async function startSmtpServer({ port: wanted = 0, login, onTaken }: Options = {}) {
  const received: Received[] = []
  let mood: Mood = 'takes'
  let told = Promise.withResolvers<void>()
  let conversations = 0
  const server = new SMTPServer({
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: !login,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect(_session, done) {
      conversations++
      done()
    },
    onAuth(given, _session, done) {
      const isRight = given.username === login?.user && given.password === login?.password
      done(isRight ? null : new Error('Wrong.'), { user: given.username ?? '' })
    },
    onMailFrom(_address, session, done) {
      const isSecond = mood === 'takes one email a connection' && session.transaction > 1
      done(isSecond ? refusal(421, 'One email a connection.') : null)
    },
    onRcptTo(_address, _session, done) {
      done(mood === 'refuses the recipient' ? refusal(550, 'No such mailbox at 10.9.8.7.') : null)
    },
    async onData(stream, session, done) {
      const raw = await text(stream).catch(() => undefined)
      if (raw === undefined) return // whoever sent it is gone
      if (mood === 'refuses the email') return done(refusal(451, 'Come back later.'))
      if (mood === 'keeps silent') return
      if (mood === 'hangs up') return hangUp()
      if (mood === 'waits to be told') await told.promise
      received.push(read(raw, session.envelope))
      if (onTaken?.(received.length) === 'silent') return
      if (mood === 'hangs up after taking') return hangUp()
      done()
      if (mood === 'hangs up afterwards') setImmediate(hangUp)
    },
  })
  server.on('error', () => {}) // connections that the other side has cut
  server.listen(wanted, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo // it listens on a port
  const account = login ? `${login.user}:${encodeURIComponent(login.password)}@` : ''

  function hangUp(): void {
    for (const { _socket: socket } of server.connections) socket.destroy()
  }

  return {
    url: `smtp://${account}127.0.0.1:${port}?from=portal@example.com`,
    received,
    /** How many there were, and how many are still going on. */
    conversations: () => conversations,
    open: () => server.connections.size,
    become: (next: Mood) => {
      mood = next
      told.resolve() // whoever waits goes on
      told = Promise.withResolvers()
    },
    close: async () => {
      hangUp()
      const closed = Promise.withResolvers<void>()
      server.close(closed.resolve)
      await closed.promise
    },
  }
}

export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>

const refusal = (responseCode: number, words: string) => Object.assign(new Error(words), { responseCode })

function read(
  raw: string,
  envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
): Received {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address),
    subject: decodeWords(header('subject')),
    messageId: header('message-id'),
    headers,
    text: decodeBody(raw.slice(end + 4), header('content-transfer-encoding')),
  }
}

function decodeBody(body: string, encoding: string): string {
  const plain =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? unquote(body)
        : body
  return plain.replaceAll('\r\n', '\n').trimEnd()
}

/** Subjects are encoded word by word where they are not ASCII. */
const decodeWords = (header: string) =>
  header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : unquote(word.replaceAll('_', ' ')),
    )

const unquote = (body: string) =>
  Buffer.from(
    body
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
