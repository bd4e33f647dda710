import { fillBigWorld } from '../world/big-world.ts'
import { inPortal } from './portal-fixtures.ts'

/** A portal in which Ada is an Admin of an organization with 100 keys, 5,000 devices and 1,001 people. */
export const inBigPortal = () =>
  inPortal().extend('big', { scope: 'file' }, async ({ world, ada }) => {
    const filled = await fillBigWorld(world.database, { devices: 5000, people: 1000, keys: 100, auditEvents: 0 })
    const { organizationId } = filled.big
    const membership = { organizationId, userId: ada.userId, role: 'ADMIN', createdAt: Date.now() } as const
    await world.database.transaction((db) => db.insertInto('membership').values(membership).execute())
    return { slug: 'organization-b' }
  })
