import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import { type Ctx, inTransaction, requirePerson } from '../caller/ctx.ts'
import { checkName } from '../lib/check.ts'
import { renameOrganization } from '../organizations/organization.ts'
import { findPerson, type Person } from './person.ts'

/** A person changes their name, and with it that of the personal account. */
export function updateProfile(outer: Ctx, name: string): Promise<Person> {
  const person = requirePerson(outer)
  const checked = checkName('name', name)
  return inTransaction(person, async (ctx) => {
    const before = await findPerson(ctx, ctx.caller.userId)
    if (before.name === checked) return before
    const { personalOrganizationId } = await ctx.db
      .updateTable('user')
      .set({ name: checked })
      .where('id', '=', before.id)
      .returning('personalOrganizationId')
      .executeTakeFirstOrThrow()
    await renameOrganization(ctx.db, personalOrganizationId, checked)
    await recordEvent(ctx, {
      action: 'organization.updated',
      ...about('ORGANIZATION', personalOrganizationId, checked),
      details: `was ${before.name}`,
      changes: changesBetween({ name: before.name }, { name: checked }),
      organizationId: personalOrganizationId,
    })
    return { ...before, name: checked }
  })
}
