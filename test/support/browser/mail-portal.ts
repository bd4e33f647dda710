import { createLog } from '../../../server/lib/log.ts'
import { startEmailWorker } from '../../../server/mail/email-worker.ts'
import { type Received, type SmtpServer, startSmtpServer } from '../process/smtp-server.ts'
import { openPortal, type Portal } from './portal-page.ts'

interface MailPortal extends Portal {
  smtp: SmtpServer
  /** All emails to an address that have been sent so far. */
  emailsTo(address: string): Received[]
  /** Lets time pass for whoever sends the mail. */
  wait(ms: number): void
}

/** A portal that sends mail, and the mail server that takes it. Its links lead to itself. */
export async function openMailPortal(): Promise<MailPortal> {
  const smtp = await startSmtpServer()
  const portal = await openPortal({ env: { HOST: '127.0.0.1', SMTP_URL: smtp.url } })
  const { config, database, clock } = portal.world
  const log = createLog('silent')
  let aheadMs = 0
  const now = () => clock.now() + aheadMs
  const emailWorker = startEmailWorker({ config, database, now, log, webDir: undefined }, { pollEveryMs: 50 })
  const wait = (ms: number) => {
    aheadMs += ms
  }
  const close = async () => {
    await emailWorker?.close()
    await portal.close()
    await smtp.close()
  }
  const emailsTo = (address: string) => smtp.received.filter(({ to }) => to.includes(address))
  return { ...portal, smtp, emailsTo, wait, close }
}

/** The address in an email. */
export const linkIn = ({ text }: Pick<Received, 'text'>): string => /https?:\/\/\S+/.exec(text)?.[0] ?? ''
