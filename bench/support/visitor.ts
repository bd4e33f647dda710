import { DatabaseSync } from 'node:sqlite'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { launchBrowser } from '../../scripts/browser/launch-browser.ts'
import type { Progress } from './progress.ts'
import { type Absent, absentBy } from './question.ts'
import { seedFleet } from './seed.ts'
import { type System, startPortal } from './system.ts'

const PERSON = { email: 'ada@example.com', name: 'Ada', password: 'only-for-the-bench-0123456789' }
const SLUG = 'organization-0'
const DAY = 24 * 60 * 60 * 1000

/** A person with a browser, at a portal with 1,000 devices and 100 keys, two of which expire soon. */
export interface Visitor {
  portal: System
  /** The organization that they are an Admin of. */
  slug: string
  /** A browser with an empty cache. It may have signed in, though. */
  open(as: 'stranger' | 'admin'): Promise<BrowserContext>
  /** The header of those who have signed in. */
  cookie: string
}

interface Start {
  /** The portal to start: by default that of this checkout. */
  program?: string
  /** The command line switches of the browser. */
  switches?: string[]
}

/** Runs work with a visitor; without a browser, with none. */
export async function withVisitor<Result>(
  progress: Progress,
  work: (visitor: Visitor | undefined, absent: Absent[]) => Promise<Result>,
  { program, switches }: Start = {},
): Promise<Result> {
  progress.say('starting a browser')
  const browser = await launchBrowser(switches).catch((error: unknown) => absentBy('browser', error))
  if ('why' in browser) return work(undefined, [browser])
  const fleet = await seedFleet({ keys: 100 }, progress)
  const portal = await startPortal('portal', fleet, [], program)
  try {
    const storageState = await signUp(browser, portal)
    makeAdmin(fleet.file)
    letKeysExpire(fleet.file)
    const cookie = storageState.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const open: Visitor['open'] = (as) => newContext(browser, portal, as === 'admin' ? { storageState } : {})
    return await work({ portal, slug: SLUG, open, cookie }, [])
  } finally {
    await browser.close()
    await portal.stop()
  }
}

const newContext = (browser: Browser, { port }: System, options: BrowserContextOptions) =>
  browser.newContext({ baseURL: `http://127.0.0.1:${port}`, viewport: { width: 1280, height: 800 }, ...options })

async function signUp(browser: Browser, portal: System) {
  const context = await newContext(browser, portal, {})
  const answer = await context.request.post('/auth/sign-up', { data: PERSON })
  if (!answer.ok()) throw new Error(`Nobody can sign up: ${answer.status()} ${await answer.text()}`)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Makes the only person an Admin of the first organization. */
function makeAdmin(file: string): void {
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.prepare(
    `insert into "membership" ("organizationId", "userId", "role", "createdAt")
     select o."id", u."id", 'ADMIN', u."createdAt" from "organization" o, "user" u where o."slug" = ?`,
  ).run(SLUG)
  db.close()
}

/** Two of the keys, so that the pages show the notice about it. */
function letKeysExpire(file: string): void {
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.prepare(`update "apiKey" set "expiresAt" = ? where "label" in ('script 1', 'script 2')`).run(Date.now() + 5 * DAY)
  db.close()
}
