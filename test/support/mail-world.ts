import { doChores } from '../../server/chores.ts'
import { DAY } from '../../server/lib/clock.ts'
import { createLog } from '../../server/lib/log.ts'
import { type Postman, startPostman } from '../../server/mail/postman.ts'
import { startSmtpServer } from './smtp-server.ts'
import { startWorld, type World } from './world.ts'

/** Where links in letters lead to: nowhere, since a test takes the token out of them. */
export const BASE_URL = 'http://portal.example.com'

/** What `main.ts` does besides serving, for a world whose clock the test moves. */
export function backgroundOf(world: World) {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const deps = { config: world.config, database: world.database, now: world.clock.now, log, webDir: undefined }
  return {
    doChores: () => doChores(deps),
    /** Letters go out when the test says so, unless it asks for somebody who looks. */
    startPostman: (times: Parameters<typeof startPostman>[1] = { lookEveryMs: DAY }): Postman => {
      const postman = startPostman(deps, times)
      if (!postman) throw new Error('This world has no mail server.')
      return postman
    },
    /** What it has logged so far. */
    backgroundLog: () => lines.join(''),
  }
}

/** A world with a mail server; letters go out when the test says so. */
export async function startMailWorld(env: Record<string, string> = {}) {
  const smtp = await startSmtpServer()
  const world = await startWorld({ env: { SMTP_URL: smtp.url, BASE_URL, ...env } })
  const background = backgroundOf(world)
  const postman = background.startPostman()
  return {
    ...world,
    ...background,
    smtp,
    postman,
    /** All letters to an address, once those that are due are sent. */
    lettersTo: async (address: string) => {
      await postman.deliver()
      return smtp.received.filter(({ to }) => to.includes(address))
    },
    close: async () => {
      await postman.close()
      await world.close()
      await smtp.close()
    },
  }
}

export type MailWorld = Awaited<ReturnType<typeof startMailWorld>>

/** The token in the link of a letter. */
export const tokenIn = (text: string | undefined) => /#(em[irv]_\w+)$/m.exec(text ?? '')?.[1] ?? ''
