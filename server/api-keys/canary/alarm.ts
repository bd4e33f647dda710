import { about, insertEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changed-fields.ts'
import type { Database } from '../../db/database.ts'
import { forUpdate } from '../../db/locks.ts'
import type { CanaryApiKeyTable, Db } from '../../db/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { HOUR } from '../../lib/clock.ts'
import { storable } from '../../lib/plain-text.ts'
import { emailsToAdmins, readableTime } from '../../mail/admin-emails.ts'
import { queueRepeatedMail } from '../../mail/mail.ts'
import { webLinks } from '../../mail/web-links.ts'
import { PORTAL } from '../expiry/expiry.ts'
import { LEAK_USEFUL_MS, placeText } from '../leaks/leak-email.ts'
import type { LeakLocation } from '../leaks/report.ts'
import { MAX_USER_AGENT_LENGTH } from '../usage/counter.ts'

/** The Admins get the first email at once, and another one after this time at the earliest. */
const EMAIL_EVERY_MS = HOUR

export interface CanaryCall {
  at: number
  address: string
  userAgent: string
}

export interface CanaryCalls {
  calls: number
  last: CanaryCall
  /** The calls that get an entry in the audit log. */
  recorded: readonly CanaryCall[]
}

type Canary = Pick<
  CanaryApiKeyTable,
  'id' | 'organizationId' | 'label' | 'prefix' | 'calls' | 'notifiedAt' | 'leakedAt'
>

/** Counts calls with a canary key, in the audit log and in its row, and emails the Admins. */
export function raiseAlarm(
  database: Database,
  { id, organizationId }: Pick<Canary, 'id' | 'organizationId'>,
  { calls, last, recorded }: CanaryCalls,
  origin: string,
): Promise<void> {
  return database.transaction(
    async (db) => {
      const canary = await lockCanary(db, id)
      if (!canary) return
      const now = last.at
      const isEmailed = canary.notifiedAt === null || Math.abs(now - canary.notifiedAt) >= EMAIL_EVERY_MS // either way, since a clock may have been ahead
      await db
        .updateTable('canaryApiKey')
        .set((eb) => ({
          calls: eb('calls', '+', calls),
          lastUsedAt: now,
          lastUsedIp: last.address,
          lastUsedUserAgent: agentOf(last),
          ...(isEmailed && { notifiedAt: now }),
        }))
        .where('id', '=', id)
        .execute()
      for (const call of recorded) await recordCall(db, canary, call)
      if (isEmailed) await email(db, canary, { now, origin }, usedText(canary, last, canary.calls + calls))
    },
    { organizationId },
  )
}

/** Tells the Admins that the secret of a canary key was found, the first time that somebody reports it. */
export async function notifyLeakedCanary(
  db: Transaction,
  id: string,
  places: readonly LeakLocation[],
  { now, origin }: { now: number; origin: string },
): Promise<void> {
  const canary = await lockCanary(db, id)
  if (!canary || canary.leakedAt !== null) return
  await db.updateTable('canaryApiKey').set({ leakedAt: now }).where('id', '=', id).execute()
  const [first] = places
  const found = first ? `found: ${placeText(first)}` : 'found'
  const changes = changesBetween({ leakedAt: null }, { leakedAt: new Date(now).toISOString() })
  await insertEvent(db, now, { ...eventOf(canary, 'canary_key.leaked'), details: `${found}; canary ${id}`, changes })
  await email(db, canary, { now, origin }, leakedText(canary, places, now))
}

const lockCanary = (db: Db, id: string): Promise<Canary | undefined> =>
  forUpdate(
    db,
    db
      .selectFrom('canaryApiKey')
      .select(['id', 'organizationId', 'label', 'prefix', 'calls', 'notifiedAt', 'leakedAt'])
      .where('id', '=', id),
  ).executeTakeFirst()

const agentOf = ({ userAgent }: CanaryCall) => storable(userAgent, MAX_USER_AGENT_LENGTH)

const eventOf = ({ id, label, organizationId }: Canary, action: 'canary_key.used' | 'canary_key.leaked') =>
  ({ action, ...about('CANARY_KEY', id, label), actor: PORTAL, organizationId }) as const

async function recordCall(db: Transaction, canary: Canary, call: CanaryCall): Promise<void> {
  const agent = agentOf(call)
  const details = `from ${call.address}${agent === '' ? '' : ` by ${agent}`}; canary ${canary.id}`
  await insertEvent(db, call.at, { ...eventOf(canary, 'canary_key.used'), details, ip: call.address })
}

type Text = (organization: string) => { subject: string; lines: string[] }

async function email(
  db: Transaction,
  { organizationId }: Canary,
  { now, origin }: { now: number; origin: string },
  textOf: Text,
): Promise<void> {
  const emails = await emailsToAdmins(db, organizationId, origin, ({ name, slug, keysPage }) => {
    const { subject, lines } = textOf(name)
    const links = ['', `Canary keys: ${keysPage}`, `Audit log: ${webLinks.audit(origin, slug)}`]
    return { kind: 'CANARY_KEY', subject, lines: [...lines, ...links], usefulUntil: now + LEAK_USEFUL_MS }
  })
  await queueRepeatedMail(db, now, emails)
}

const usedText =
  ({ label, prefix }: Canary, call: CanaryCall, calls: number): Text =>
  (organization) => ({
    subject: `Canary key ${label} of ${organization} was used`,
    lines: [
      `Somebody has called the API with a canary key of ${organization}. It gives no access and the call was refused, but whoever called has read the place where you put it.`,
      '',
      `${label} (${prefix}…)`,
      `  used: ${readableTime(call.at)} from ${call.address}`,
      `  user agent: ${agentOf(call) || 'none'}`,
      `  calls so far: ${calls}`,
      '',
      'What to do now:',
      '- Find out who has access to the place where the canary key is, and what else is there.',
      '- Rotate the API keys and passwords that are in the same place.',
      '',
      'Further calls are counted, and there is another email after an hour at the earliest.',
    ],
  })

const leakedText =
  ({ label, prefix }: Canary, places: readonly LeakLocation[], now: number): Text =>
  (organization) => ({
    subject: `Canary key ${label} of ${organization} was found`,
    lines: [
      `The secret of a canary key of ${organization} was found where others can read it. It gives no access, but what was beside it may be public too.`,
      '',
      `${label} (${prefix}…)`,
      ...places.slice(0, 5).map((place) => `  found: ${placeText(place)}`),
      `  reported: ${readableTime(now)}`,
      '',
      'What to do now:',
      '- Find out what else of the place where you put it is public.',
      '- Rotate the API keys and passwords that are in the same place.',
    ],
  })
