import type { Insertable } from 'kysely'
import { type Ctx, requireAdmin } from '../ctx.ts'
import { atTheEnd } from '../db/locks.ts'
import { countMatching } from '../db/long-list.ts'
import type { Db, MailTable } from '../db/tables.ts'
import { newId } from '../lib/id.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import type { Seal } from '../lib/seal.ts'
import { hashSecret } from '../lib/secret.ts'

const AT_ONCE = 500

/** What is to be written to whom. Without an organization nobody sees it in an outbox. */
export type Letter = Pick<MailTable, 'organizationId' | 'kind' | 'recipient' | 'subject' | 'text' | 'usefulUntil'> & {
  /** The person for whose limit it counts. */
  causedById?: string | null
}

type MailState = 'KEPT' | 'WAITING' | 'SENT' | 'EXPIRED'

/** A letter as Admins see it. */
export interface Mail {
  id: string
  to: string
  subject: string
  text: string | null
  createdAt: number
  sentAt: number | null
  state: MailState
  trouble: string | null
}

/** Puts letters into the outbox, in the transaction in which there is a reason for them: all of it happens, or nothing. */
export async function queueMail(db: Db, now: number, letters: readonly Letter[]): Promise<void> {
  await insertRows(
    db,
    letters.map((letter) => ({ ...letter, id: newId(now), sealed: 0, ...untried(now) })),
  )
}

/** The same for a letter with a link that lets somebody in: in the outbox nobody can read it, and it goes with the link. */
export async function queueSealedMail(
  db: Db,
  now: number,
  letter: Letter & { token: string },
  seal: Seal,
): Promise<void> {
  const { token, ...row } = letter
  const id = newId(now)
  const hidden = { text: seal.close(row.text, id), sealed: 1, linkHash: hashSecret(token) } as const
  await insertRows(db, [{ ...row, id, ...untried(now), ...hidden }])
}

const untried = (now: number) => ({
  createdAt: now,
  nextTryAt: now,
  tries: 0,
  sentAt: null,
  linkHash: null,
  trouble: null,
})

async function insertRows(db: Db, rows: Insertable<MailTable>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    await atTheEnd(db, db.insertInto('mail').values(rows.slice(i, i + AT_ONCE)))
  }
}

/** The letters of the organization, the newest first; whether there is a mail server decides what becomes of them. */
export async function listMail(ctx: Ctx, args: PageArgs, { isSent }: { isSent: boolean }): Promise<Page<Mail>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  const mine = (db: Db) => db.selectFrom('mail').where('organizationId', '=', ctx.caller.organizationId)
  const all = mine(ctx.db)
  const rows = await (cursor ? all.where('id', '<', cursor[0]) : all)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute()
  const now = ctx.now()
  return pageOf(
    rows.map((row) => toMail(row, { now, isSent })),
    size,
    (mail) => encodeCursor([mail.id]),
    () => countMatching(ctx, mine),
  )
}

function toMail(row: MailTable, { now, isSent }: { now: number; isSent: boolean }): Mail {
  const { id, recipient: to, subject, text, sealed, createdAt, sentAt, trouble } = row
  return { id, to, subject, text: sealed === 1 ? null : text, createdAt, sentAt, trouble, state: stateOf() }

  function stateOf(): MailState {
    if (row.sentAt !== null) return 'SENT'
    if (row.usefulUntil <= now) return 'EXPIRED'
    return isSent ? 'WAITING' : 'KEPT'
  }
}
