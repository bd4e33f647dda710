import type { Insertable } from 'kysely'
import { type Ctx, requireAdmin, seesCanaryKeys } from '../caller/ctx.ts'
import { countRows } from '../db/count.ts'
import type { EmailTable } from '../db/email-table.ts'
import { countMatching } from '../db/long-list.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { HOUR } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import { firstIdAt, newId } from '../lib/id.ts'
import { newestFirst, type Page, type PageArgs } from '../lib/page.ts'
import { hashSecret } from '../secrets/secret.ts'

const AT_ONCE = 500

/** An email to queue. Without an organization it is in no organization's list. */
export type NewEmail = Pick<
  EmailTable,
  'organizationId' | 'kind' | 'recipient' | 'subject' | 'text' | 'usefulUntil'
> & {
  causedById?: string | null
}

type EmailState = 'STORED' | 'QUEUED' | 'SENT' | 'EXPIRED'

export interface Mail {
  id: string
  to: string
  subject: string
  text: string | null
  createdAt: number
  sentAt: number | null
  state: EmailState
  lastError: string | null
}

/** Queues emails in the transaction that causes them: both happen, or neither. */
export async function queueMail(db: Transaction, now: number, emails: readonly NewEmail[]): Promise<void> {
  const rows = emails.map((email) => ({ ...email, id: newId(now), encrypted: 0, ...untried(now) }) as const)
  await insertRows(db, rows)
}

/** To one recipient, of one kind: more is of no use to anybody. */
const MAX_AN_HOUR = 10

/** Queues emails to each Admin that somebody can cause again and again: beyond ten an hour, there are none. */
export async function queueRepeatedMail(db: Transaction, now: number, emails: readonly NewEmail[]): Promise<void> {
  if (await mayRepeat(db, now, emails)) await queueMail(db, now, emails)
}

/** Whether each Admin may get one more of this kind, by what the first of them got in the last hour. */
export async function mayRepeat(db: Db, now: number, [first]: readonly NewEmail[]): Promise<boolean> {
  if (!first) return true
  const lately = db
    .selectFrom('email')
    .where('organizationId', '=', first.organizationId)
    .where('kind', '=', first.kind)
    .where('recipient', '=', first.recipient)
    .where('id', '>=', firstIdAt(now - HOUR))
    .where('id', '<', firstIdAt(now + HOUR)) // after a clock was ahead
  return (await countRows(lately)) < MAX_AN_HOUR
}

/** Queues an email with a link that signs somebody in: its text is encrypted, and deleted once it is sent. */
export async function queueEncryptedMail(
  db: Transaction,
  now: number,
  email: NewEmail & { token: string },
  encryption: Encryption,
): Promise<void> {
  const { token, ...row } = email
  const id = newId(now)
  const encrypted = { text: encryption.encrypt(row.text, id), encrypted: 1, linkHash: hashSecret(token) } as const
  await insertRows(db, [{ ...row, id, ...untried(now), ...encrypted }])
}

const untried = (now: number) => ({
  createdAt: now,
  nextTryAt: now,
  tries: 0,
  sentAt: null,
  linkHash: null,
  lastError: null,
})

async function insertRows(db: Transaction, rows: Insertable<EmailTable>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await db.defer(db.insertInto('email').values(rows.slice(i, i + AT_ONCE)))
}

/** The emails of the organization, the newest first; their state depends on whether there is a mail server. */
export async function listMail(ctx: Ctx, args: PageArgs, { isSent }: { isSent: boolean }): Promise<Page<Mail>> {
  requireAdmin(ctx.caller)
  const mine = (db: Db) => {
    const emails = db.selectFrom('email').where('organizationId', '=', ctx.caller.organizationId)
    return seesCanaryKeys(ctx.caller) ? emails : emails.where('kind', '!=', 'CANARY_KEY')
  }
  const now = ctx.now()
  const find = async (before: string | undefined, limit: number) => {
    const all = mine(ctx.reads).selectAll().orderBy('id', 'desc').limit(limit)
    const rows = await (before === undefined ? all : all.where('id', '<', before)).execute()
    return rows.map((row) => toMail(row, { now, isSent }))
  }
  return newestFirst(args, find, () => countMatching(ctx, mine))
}

function toMail(row: EmailTable, { now, isSent }: { now: number; isSent: boolean }): Mail {
  const { id, recipient: to, subject, text, encrypted, createdAt, sentAt, lastError } = row
  return { id, to, subject, text: encrypted === 1 ? null : text, createdAt, sentAt, lastError, state: stateOf() }

  function stateOf(): EmailState {
    if (row.sentAt !== null) return 'SENT'
    if (row.usefulUntil <= now) return 'EXPIRED'
    return isSent ? 'QUEUED' : 'STORED'
  }
}
