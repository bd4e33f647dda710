import type { Ctx } from '../ctx.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { firstIdAt, timeOfId } from '../lib/id.ts'
import { LIMITS, type LimitName, noteLimitRefusal, rateLimited } from '../limits.ts'

/*
 * So that nobody can make the portal send emails to everybody, or to one person without limit. A caller over their own
 * limit gets an error. A recipient over their limit does not cause one: otherwise a stranger could prevent somebody
 * from being invited.
 */

/**
 * Against whose limit an email counts: the person's; for a key or the command line that of the creator of the
 * organization, as long as they are an Admin of it. Otherwise only the organization's own limit counts.
 */
export async function causeOf({ caller, db }: Ctx): Promise<string | null> {
  if (caller.kind === 'USER') return caller.userId
  const maker = await db
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

/**
 * Refuses an email beyond the limit of the organization, or of the person that it counts for, over all organizations.
 */
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
  if (reached) noteLimitRefusal(reached)
  return reached === undefined
}

const invitationsOfTheHour = ({ db, now }: Ctx) =>
  db
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
