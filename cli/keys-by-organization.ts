import type { KeySource, Selection } from './key-source/key-source.ts'
import type { ShownKey } from './key-source/shown-key.ts'
import { tableOf } from './keys.ts'

/** Some keys of one organization. */
export interface KeysOfOrganization {
  source: KeySource
  keys: ShownKey[]
}

/** The keys of these organizations that match; without those that have none. */
export async function keysOfAll(
  sources: readonly KeySource[],
  selection?: Pick<Selection, 'unusedForDays'>,
): Promise<KeysOfOrganization[]> {
  const found: KeysOfOrganization[] = []
  for (const source of sources) found.push({ source, keys: await source.list(selection) })
  return found.filter(({ keys }) => keys.length > 0)
}

/** A part of them. */
export const thoseThat = (found: readonly KeysOfOrganization[], isMeant: (key: ShownKey) => boolean) =>
  found.map(({ source, keys }) => ({ source, keys: keys.filter(isMeant) })).filter(({ keys }) => keys.length > 0)

export const idsIn = (found: readonly KeysOfOrganization[]) => found.flatMap(({ keys }) => keys.map(({ id }) => id))

/** A table for each organization. */
export const listOf = (found: readonly KeysOfOrganization[]) =>
  found
    .map(({ source: { organization, now }, keys }) => {
      return `${organization.name} (${organization.slug})\n${tableOf(keys, now())}`
    })
    .join('\n\n')
