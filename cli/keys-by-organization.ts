import type { ApiKey } from '../server/api-keys/api-key.ts'
import type { ApiKeyFilter } from '../server/api-keys/filter.ts'
import { allKeys, tableOf } from './keys.ts'
import type { OrganizationContext } from './organization-context.ts'

/** Some keys of one organization. */
export interface KeysOfOrganization {
  target: OrganizationContext
  keys: ApiKey[]
}

/** The keys of these organizations that match; without those that have none. */
export async function keysOfAll(
  targets: readonly OrganizationContext[],
  filter?: ApiKeyFilter,
): Promise<KeysOfOrganization[]> {
  const found: KeysOfOrganization[] = []
  for (const target of targets) found.push({ target, keys: await allKeys(target.ctx, filter) })
  return found.filter(({ keys }) => keys.length > 0)
}

/** A part of them. */
export const thoseThat = (found: readonly KeysOfOrganization[], isMeant: (key: ApiKey) => boolean) =>
  found.map(({ target, keys }) => ({ target, keys: keys.filter(isMeant) })).filter(({ keys }) => keys.length > 0)

export const idsIn = (found: readonly KeysOfOrganization[]) => found.flatMap(({ keys }) => keys.map(({ id }) => id))

/** A table for each organization. */
export const listOf = (found: readonly KeysOfOrganization[], now: number) =>
  found
    .map(({ target: { organization }, keys }) => `${organization.name} (${organization.slug})\n${tableOf(keys, now)}`)
    .join('\n\n')
