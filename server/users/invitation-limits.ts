import type { Ctx, TransactionCtx } from '../caller/ctx.ts'
import { countLimitRefusal, LIMITS, type LimitName, limitExceeded, rateLimited } from '../config/limits.ts'
import { countRows } from '../db/count.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { firstIdAt, timeOfId } from '../lib/id.ts'

/** Refuses one more invitation where there are too many; inviting somebody again does not count. */
export async function requireRoomForInvitation({ db, caller, now }: TransactionCtx, email: string): Promise<void> {
  const { organizationId } = caller
  const invitations = db.selectFrom('invitation').where('organizationId', '=', organizationId)
  const open = await countRows(invitations.where('email', '<>', email).where('expiresAt', '>', now()))
  if (open >= LIMITS.open_invitations)
    throw limitExceeded(
      'open_invitations',
      `An organization has at most ${LIMITS.open_invitations.toLocaleString('en')} open invitations: withdraw some, or wait until they are accepted or expire.`,
    )
  const members = await countRows(db.selectFrom('membership').where('organizationId', '=', organizationId))
  if (members + open < LIMITS.people) return
  throw limitExceeded(
    'people',
    `An organization has at most ${LIMITS.people.toLocaleString('en')} people, those who are invited included: remove some.`,
  )
}

/* A caller over their limit gets an error. A recipient over theirs causes none: a stranger could prevent somebody from being invited. */

/** Against whose limit an email counts: the person's, or for others that of the organization's creator while an Admin. */
export async function causeOf({ caller, reads }: Ctx): Promise<string | null> {
  if (caller.kind === 'USER') return caller.userId
  const maker = await reads
    .selectFrom('organization')
    .innerJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'organization.id')
        .onRef('membership.userId', '=', 'organization.createdById'),
    )
    .select('membership.userId')
    .where('organization.id', '=', caller.organizationId)
    .where('membership.role', '=', 'ADMIN')
    .executeTakeFirst()
  return maker?.userId ?? null
}

/** Refuses an email beyond the limit of the organization, or of the person, over all organizations. */
export async function requireEmailShare(ctx: Ctx, causedById: string | null): Promise<void> {
  const mails = invitationsOfTheHour(ctx)
  const ofOrganization = mails.where('organizationId', '=', ctx.caller.organizationId)
  await requireShare(ctx, 'emails_of_organization', ofOrganization)
  if (causedById !== null) await requireShare(ctx, 'emails_of_person', mails.where('causedById', '=', causedById))
}

/** Whether the recipient is below the limit of this hour, from this organization and from all. */
export async function mayEmail(ctx: Ctx, recipient: string): Promise<boolean> {
  const recent = await invitationsOfTheHour(ctx)
    .where('recipient', '=', recipient)
    .select('organizationId')
    .limit(LIMITS.emails_to_recipient)
    .execute()
  const ours = recent.filter(({ organizationId }) => organizationId === ctx.caller.organizationId)
  const reached: LimitName | undefined =
    ours.length >= LIMITS.emails_to_recipient_of_organization
      ? 'emails_to_recipient_of_organization'
      : recent.length >= LIMITS.emails_to_recipient
        ? 'emails_to_recipient'
        : undefined
  if (reached) countLimitRefusal(reached)
  return reached === undefined
}

const invitationsOfTheHour = ({ reads, now }: Ctx) =>
  reads
    .selectFrom('email')
    .where('kind', '=', 'INVITATION')
    .where('id', '>=', firstIdAt(now() - HOUR))

async function requireShare(
  { now }: Ctx,
  limit: LimitName & `emails_of_${string}`,
  mails: ReturnType<typeof invitationsOfTheHour>,
): Promise<void> {
  const most = LIMITS[limit]
  const recent = await mails.select('id').orderBy('id', 'desc').limit(most).execute()
  const oldest = recent[most - 1]
  if (!oldest) return
  const waitMs = timeOfId(oldest.id) + HOUR - now()
  const whose = limit === 'emails_of_person' ? 'You have sent' : 'This organization has sent'
  const minutes = Math.max(1, Math.ceil(waitMs / MINUTE))
  throw rateLimited(
    limit,
    waitMs,
    `${whose} ${most} invitation emails in the last hour: try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
  )
}
