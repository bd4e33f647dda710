import { DAY } from '../../../server/lib/clock.ts'
import { createLog } from '../../../server/lib/log.ts'
import { type EmailWorker, startEmailWorker } from '../../../server/mail/email-worker.ts'
import { runBackgroundJobs } from '../../../server/process/background-jobs.ts'
import { startSmtpServer } from '../process/smtp-server.ts'
import { PATIENT } from './waiting.ts'
import { startWorld, type World } from './world.ts'

/** Where links in emails lead to: nowhere, since a test takes the token out of them. */
export const BASE_URL = 'http://portal.example.com'

/** What `main.ts` does besides serving, for a world whose clock the test moves. */
export function backgroundOf(world: World) {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const deps = { config: world.config, database: world.database, now: world.clock.now, log, webDir: undefined }
  return {
    deps,
    runBackgroundJobs: () => runBackgroundJobs(deps),
    /** Emails go out when the test says so, unless it asks for somebody who looks. */
    startEmailWorker: (times: Parameters<typeof startEmailWorker>[1] = { pollEveryMs: DAY }): EmailWorker => {
      const emailWorker = startEmailWorker(deps, times)
      if (!emailWorker) throw new Error('This world has no mail server.')
      return emailWorker
    },
    /** What it has logged so far. */
    backgroundLog: () => lines.join(''),
  }
}

/** A world with a mail server; emails go out when the test says so. */
export async function startMailWorld(env: Record<string, string> = {}) {
  const smtp = await startSmtpServer()
  const world = await startWorld({ env: { SMTP_URL: smtp.url, BASE_URL, ...env }, timeouts: PATIENT })
  const background = backgroundOf(world)
  const emailWorker = background.startEmailWorker()
  return {
    ...world,
    ...background,
    smtp,
    emailWorker,
    /** All emails to an address, once those that are due are sent. */
    emailsTo: async (address: string) => {
      await emailWorker.deliver()
      return smtp.received.filter(({ to }) => to.includes(address))
    },
    close: async () => {
      await emailWorker.close()
      await world.close()
      await smtp.close()
    },
  }
}

export type MailWorld = Awaited<ReturnType<typeof startMailWorld>>

/** The token in the link of an email. */
export const tokenIn = (text: string | undefined) => /#(em[irv]_\w+)$/m.exec(text ?? '')?.[1] ?? ''
