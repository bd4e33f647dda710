import { generateApiKey } from '../../api-keys/generate.ts'
import type { SystemCaller } from '../../ctx.ts'
import type { Deps } from '../../deps.ts'
import { createPasswords } from '../../identity/password.ts'
import { DAY } from '../../lib/clock.ts'
import { randomPassword } from '../../lib/secret.ts'
import { addDemoDevices } from './devices.ts'
import { addDemoKeys } from './keys.ts'
import { addDemoPeople, creditColleague } from './people.ts'

/** How long ago the organization of the demo was created. */
export const DEMO_AGE_MS = 120 * DAY

/** Fills a new organization as if it had been in use for months, and generates the key that is printed. */
export async function fillDemo(
  { database, now, passwordCost }: Deps,
  organizationId: string,
): Promise<{ secret: string }> {
  const caller: SystemCaller = { kind: 'SYSTEM', organizationId, role: 'ADMIN' }
  const ctx = { caller, db: database.read, database, now }
  const passwordHash = await createPasswords({ cost: passwordCost }).hash(randomPassword())
  await addDemoPeople(ctx, passwordHash)
  const { deviceKeyId } = await addDemoKeys(ctx)
  await addDemoDevices(ctx, deviceKeyId)
  await creditColleague(ctx)
  return generateApiKey(ctx, { label: 'First key' })
}
