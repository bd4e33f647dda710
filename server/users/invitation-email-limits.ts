import type { Ctx } from '../ctx.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { firstIdAt, timeOfId } from '../lib/id.ts'
import { LIMITS, type LimitName, noteLimitRefusal, rateLimited } from '../limits.ts'

/*
 * So that nobody can have the portal write to the whole world, or to one person without end. What a caller has used up is an
 * error. What others may have used up, the recipient's share, is none: else a stranger could keep somebody from being invited.
 */

/**
 * For whose share an email counts: the person's; for a key or the command line that of whoever made the organization, as long
 * as they are an Admin of it. Nobody's otherwise, and only the organization's own share counts.
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

/** Refuses an email beyond the share of the organization, or of the person for whom it counts, over all organizations. */
export async function requireEmailShare(ctx: Ctx, causedById: string | null): Promise<void> {
  const mails = invitationsOfTheHour(ctx)
  const ofOrganization = mails.where('organizationId', '=', ctx.caller.organizationId)
  await requireShare(ctx, 'emails_of_organization', ofOrganization)
  if (causedById !== null) await requireShare(ctx, 'emails_of_person', mails.where('causedById', '=', causedById))
}

/** Whether the recipient has not had enough in this hour, from this organization and from all. */
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
    .selectFrom('mail')
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
