import { describe, expect, onTestFinished } from 'vitest'
import { startSmtpServer } from '../../test/support/process/smtp-server.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { type MailWorld, startMailWorld } from '../../test/support/world/mail-world.ts'
import { PASSWORD } from '../../test/support/world/world.ts'
import { readConfig } from '../config.ts'
import { HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { claimEmail, noteDeliveryError } from './email-queue.ts'
import { startEmailWorker } from './email-worker.ts'
import { emailEncryptionOf } from './encrypted-links.ts'
import { type NewEmail, queueEncryptedMail, queueMail } from './mail.ts'
import { createMailer } from './smtp.ts'

const SECRET_TEXT = `Open http://portal.example.com/reset-password#emr_${'7'.repeat(49)} now`

const it = inWorld(startMailWorld)
  /** Nothing is queued at first, and the mail server takes what comes. */
  .extend('emails', ({ world }) => emptyQueueOf(world))

const email = ({ clock }: MailWorld, recipient: string): NewEmail => ({
  organizationId: null,
  kind: 'KEY_EXPIRY',
  recipient,
  subject: `Für ${recipient}`,
  text: 'Grüße\n.\nEnde',
  usefulUntil: clock.now() + 48 * HOUR,
})

async function emptyQueueOf(world: MailWorld) {
  const { clock, config, database, smtp } = world
  await database.transaction((db) => db.deleteFrom('email').execute())
  smtp.received.length = 0
  smtp.become('takes')
  return {
    queue: (...recipients: string[]) =>
      database.transaction((db) =>
        queueMail(
          db,
          clock.now(),
          recipients.map((recipient) => email(world, recipient)),
        ),
      ),
    queueSealed: async () => {
      const encryption = emailEncryptionOf(config)
      if (!encryption) throw new Error('This world has no mail server.')
      const sealed = { ...email(world, 'ada@example.com'), text: SECRET_TEXT, token: 'of-no-table' }
      await database.transaction((db) => queueEncryptedMail(db, clock.now(), sealed, encryption))
    },
    rows: () => database.read.selectFrom('email').selectAll().orderBy('id').execute(),
    received: () => smtp.received,
    deps: { config, database, now: clock.now, log: createLog('silent'), webDir: undefined },
  }
}

describe('an email', () => {
  it('is sent as queued, from the address of the portal, with the id of its row', async ({ world, emails }) => {
    await emails.queue('ada@example.com')
    await world.emailWorker.deliver()
    const [row] = await emails.rows()
    expect(emails.received()).toMatchObject([
      {
        from: 'portal@example.com',
        to: ['ada@example.com'],
        subject: 'Für ada@example.com',
        text: 'Grüße\n.\nEnde',
        messageId: `<${row?.id}@example.com>`,
        headers: expect.stringContaining('Auto-Submitted: auto-generated'),
      },
    ])
    expect(row).toMatchObject({ sentAt: world.clock.now(), tries: 1, lastError: null, text: 'Grüße\n.\nEnde' })
    await world.emailWorker.deliver()
    expect(emails.received()).toHaveLength(1)
  })

  it('is sent by itself', async ({ emails }) => {
    const emailWorker = startEmailWorker(emails.deps, { pollEveryMs: 10 })
    await emails.queue('ada@example.com')
    await expect.poll(() => emails.received().length, { timeout: 8000 }).toBe(1)
    await emailWorker?.close()
  })

  it('is sent once, with many workers', async ({ world, emails }) => {
    const addresses = Array.from({ length: 30 }, (_, i) => `person-${i}@example.com`)
    await emails.queue(...addresses)
    const others = [startEmailWorker(emails.deps), startEmailWorker(emails.deps)]
    await Promise.all([world.emailWorker, ...others].map((emailWorker) => emailWorker?.deliver()))
    expect(
      emails
        .received()
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(addresses.sort())
    await Promise.all(others.map((emailWorker) => emailWorker?.close()))
  })

  it('is retried after growing pauses, until it is accepted, under one Message-ID', async ({ world, emails }) => {
    await emails.queue('ada@example.com')
    world.smtp.become('hangs up after taking')
    const tries: number[] = []
    for (const pause of [0, 5 * SECOND - 1, 1, 30 * SECOND - 1, 1, 2 * MINUTE - 1, 1]) {
      world.clock.advance(pause)
      await world.emailWorker.deliver()
      tries.push(emails.received().length)
    }
    expect(tries).toEqual([1, 1, 2, 2, 3, 3, 4])
    expect(await emails.rows()).toMatchObject([
      { sentAt: null, tries: 4, lastError: 'The mail server does not answer.' },
    ])
    world.smtp.become('takes')
    world.clock.advance(10 * MINUTE)
    await world.emailWorker.deliver()
    expect(await emails.rows()).toMatchObject([{ sentAt: world.clock.now(), tries: 5, lastError: null }])
    expect(new Set(emails.received().map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('that is refused does not delay the others; Admins see why, and nothing about the server', async ({
    world,
    emails,
  }) => {
    world.smtp.become('refuses the recipient')
    await emails.queue('nobody@example.com')
    await world.emailWorker.deliver()
    world.smtp.become('refuses the email')
    await emails.queue('ada@example.com')
    await world.emailWorker.deliver()
    world.smtp.become('takes')
    await emails.queue('bob@example.com')
    await world.emailWorker.deliver()
    expect((await emails.rows()).map(({ lastError }) => lastError)).toEqual([
      'The mail server refuses the email with 550.',
      'The mail server refuses the email with 451.',
      null,
    ])
    expect(emails.received().flatMap(({ to }) => to)).toEqual(['bob@example.com'])
    expect(world.backgroundLog()).toContain('No such mailbox at 10.9.8.7.') // for whoever runs the machine
  })

  it('is not tried while the server is unavailable', async ({ world, emails }) => {
    await emails.queue('ada@example.com', 'bob@example.com')
    world.smtp.become('hangs up')
    await world.emailWorker.deliver()
    expect((await emails.rows()).map(({ tries }) => tries)).toEqual([1, 0])
  })

  it('that is no longer useful is not sent, and its encrypted text is deleted', async ({ world, emails }) => {
    await emails.queueSealed()
    world.clock.advance(48 * HOUR)
    await world.emailWorker.deliver()
    expect(emails.received()).toEqual([])
    expect(await emails.rows()).toMatchObject([{ sentAt: null, text: '' }])
  })

  it('of a worker that was killed is sent by another one after two minutes', async ({ world, emails }) => {
    await emails.queue('ada@example.com')
    const taken = await claimEmail(world.database, world.clock.now())
    world.clock.advance(2 * MINUTE - 1)
    await world.emailWorker.deliver()
    expect(emails.received()).toEqual([])
    world.clock.advance(1)
    await world.emailWorker.deliver()
    expect(emails.received()).toMatchObject([{ messageId: `<${taken?.id}@example.com>` }])
  })

  it('that another worker has taken over is not given back by the first', async ({ world, emails }) => {
    await emails.queue('ada@example.com')
    const first = await claimEmail(world.database, world.clock.now())
    world.clock.advance(2 * MINUTE)
    await claimEmail(world.database, world.clock.now())
    if (first) await noteDeliveryError(world.database, first, world.clock.now(), 'late')
    world.clock.advance(MINUTE)
    expect(await claimEmail(world.database, world.clock.now())).toBeUndefined()
    expect(await emails.rows()).toMatchObject([{ lastError: null }])
  })

  it('in progress is waited for when the portal closes, and no other is started', async ({ world, emails }) => {
    const emailWorker = world.startEmailWorker()
    const before = world.smtp.conversations()
    world.smtp.become('waits to be told')
    await emails.queue('ada@example.com', 'bob@example.com')
    void emailWorker.deliver()
    await expect.poll(() => world.smtp.conversations() - before).toBe(1)
    const closed = emailWorker.close()
    world.smtp.become('takes')
    await closed
    expect((await emails.rows()).map(({ sentAt }) => sentAt !== null)).toEqual([true, false])
  })

  it('is not waited for without limit when the portal closes', async ({ world, emails }) => {
    const emailWorker = world.startEmailWorker({ closeWithinMs: 10 })
    world.smtp.become('waits to be told')
    const before = world.smtp.conversations()
    await emails.queue('ada@example.com')
    const delivered = emailWorker.deliver()
    await expect.poll(() => world.smtp.conversations() - before).toBe(1)
    await emailWorker.close()
    expect(world.backgroundLog()).toContain('an email is left in the queue')
    world.smtp.become('takes')
    await delivered
  })
})

describe('an encrypted email', () => {
  it('cannot be read in the database, and its text is deleted once it is sent', async ({ world, emails }) => {
    await emails.queueSealed()
    expect(await world.storage.dump()).not.toContain('emr_7777')
    expect(await emails.rows()).toMatchObject([{ encrypted: 1, text: expect.stringMatching(/^[\w-]{80,}$/) }])
    await world.emailWorker.deliver()
    expect(emails.received()).toMatchObject([{ text: SECRET_TEXT }])
    expect(await emails.rows()).toMatchObject([{ encrypted: 1, text: '' }])
    expect(await world.storage.dump()).not.toContain('emr_7777')
  })

  it('cannot be decrypted with another PORTAL_SECRET: it stays queued, and lastError says why', async ({
    world,
    emails,
  }) => {
    await emails.queueSealed()
    const config = { ...world.config, portalSecret: 'another secret, of 32 characters or more' }
    const stranger = startEmailWorker({ ...emails.deps, config })
    await stranger?.deliver()
    await stranger?.close()
    expect(emails.received()).toEqual([])
    expect(await emails.rows()).toMatchObject([{ sentAt: null, lastError: expect.stringContaining('PORTAL_SECRET') }])
    world.clock.advance(MINUTE)
    await world.emailWorker.deliver()
    expect(emails.received()).toMatchObject([{ text: SECRET_TEXT }])
  })
})

it('signs in at the mail server, and reports when that is refused', async () => {
  const server = await startSmtpServer({ login: { user: 'portal', password: 'p@ss/word' } })
  const at = (url: string) => {
    const { smtp } = readConfig({ SMTP_URL: url, BASE_URL: 'http://portal.example.com' })
    if (!smtp) throw new Error('No address.')
    const mailer = createMailer(smtp)
    onTestFinished(() => mailer.close())
    return mailer.send({ to: 'ada@example.com', subject: 'x', text: 'y', messageId: '<x@y>' })
  }
  await at(server.url)
  expect(server.received).toHaveLength(1)
  const refused = at(server.url.replace('word@', 'ward@'))
  await expect(refused).rejects.toThrow('The mail server refuses the portal with 535.')
  await server.close()
})

it('emails are deleted after 90 days', async ({ world, emails }) => {
  await emails.queue('ada@example.com')
  world.clock.advance(90 * 24 * HOUR)
  await emails.queue('bob@example.com')
  await world.runBackgroundJobs()
  expect(await emails.rows()).toHaveLength(2)
  world.clock.advance(1)
  await world.runBackgroundJobs()
  expect(await emails.rows()).toMatchObject([{ recipient: 'bob@example.com' }])
})

it('the log contains no personal data, only what went wrong', async ({ world, emails }) => {
  await emails.queue('ada@example.com')
  await world.emailWorker.deliver()
  expect(world.backgroundLog()).not.toContain('ada@example.com')
  expect(world.backgroundLog()).not.toContain(PASSWORD)
})
