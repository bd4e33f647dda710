import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { plainEnv } from '../../test/support/environment.ts'

const TLS = join(import.meta.dirname, '..', '..', 'test', 'support', 'tls')
const SENDER = fileURLToPath(import.meta.resolve('../../test/support/process/send-email.ts'))
const TRUSTED = { NODE_EXTRA_CA_CERTS: join(TLS, 'localhost.crt') }
const run = promisify(execFile)

/** A mail server with a certificate for localhost; tells of each email on which connection it came, whether under TLS, and who signed in. */
async function startServer(options: SMTPServerOptions) {
  const emails: { connection: string; secure: boolean; user: string | undefined }[] = []
  const server = new SMTPServer({
    key: readFileSync(join(TLS, 'localhost.key')),
    cert: readFileSync(join(TLS, 'localhost.crt')),
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    onData(stream, session, done) {
      emails.push({ connection: session.id, secure: session.secure, user: session.user as string | undefined }) // as onAuth gave it
      stream.resume().once('end', () => done())
    },
    ...options,
  })
  server.on('error', () => {}) // connections that the other side has cut
  server.listen(0, 'localhost')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo // it listens on a port
  return { emails, port }
}

async function send(url: string, env: Record<string, string> = {}): Promise<string> {
  return (await run(process.execPath, [SENDER, url], { env: { ...plainEnv(), ...env } })).stdout
}

/** Both on one connection. */
function expectBothSafe(emails: Awaited<ReturnType<typeof startServer>>['emails']): void {
  const safe = { connection: emails[0]?.connection, secure: true, user: 'portal' }
  expect(emails).toEqual([safe, safe])
}

describe('emails are sent under TLS', () => {
  it('from the first byte on with smtps', async () => {
    const { emails, port } = await startServer({ secure: true })
    expect(await send(`smtps://portal:secret@localhost:${port}?from=portal@example.com`, TRUSTED)).toBe('sent')
    expectBothSafe(emails)
  })

  it('as soon as the server offers it with smtp', async () => {
    const { emails, port } = await startServer({})
    expect(await send(`smtp://portal:secret@localhost:${port}?from=portal@example.com`, TRUSTED)).toBe('sent')
    expectBothSafe(emails)
  })

  it.each(['smtp', 'smtps'])('and not to a server with an untrusted certificate, with %s', async (scheme) => {
    const { emails, port } = await startServer({ secure: scheme === 'smtps' })
    expect(await send(`${scheme}://portal:secret@localhost:${port}?from=portal@example.com`)).toBe(
      'The mail server cannot be reached safely.',
    )
    expect(emails).toEqual([])
  })
})
