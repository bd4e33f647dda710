import type { OwnRulesInput } from '../../server/api-keys/access/own-rules.ts'
import type { RefusedWhilePaused } from '../../server/api-keys/pause/refused-while-paused.ts'
import type { ApiKeyPolicy } from '../../server/api-keys/policy/policy.ts'
import type { ApiKeyUsage, RecentUsage } from '../../server/api-keys/usage/read.ts'
import type { ExportedEvent } from '../../server/audit/export.ts'
import { AppError } from '../../server/lib/app-error.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { type Api, dataOf, write } from '../api/api.ts'
import { inTreeOrder } from '../lineage-tree.ts'
import { isoTime } from '../time.ts'
import type { Descendant, InvitedPerson, KeyChanges, KeySource, Revoked } from './key-source.ts'
import * as DOCUMENTS from './remote-documents.ts'
import { rowOf, type ShownKey, timeOf } from './remote-rows.ts'

/** A page of keys or changes costs less than an operation may. */
const PAGE = 200
const MOST_AT_ONCE = 500

interface Page<Item> {
  data: Item[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

interface ShownOrganization {
  organization: { name: string; slug: string; apiKeysHeldSince: string | null }
}

/** The keys of the organization that the key of this API belongs to. */
export async function remoteKeys(api: Api): Promise<KeySource> {
  const organizationNow = () => dataOf<ShownOrganization>(api, { query: DOCUMENTS.ORGANIZATION })
  const { organization } = await organizationNow()

  /** One part of one key. */
  async function part<Data>(query: string, id: string, variables: object = {}): Promise<Data> {
    const { apiKey } = await dataOf<{ apiKey: Data }>(api, { query, variables: { id, ...variables } })
    return apiKey
  }

  /** The key that a mutation answers with. */
  async function changed(query: string, variables: Record<string, unknown>) {
    const [shown] = Object.values(await write<Record<string, ShownKey>>(api, query, variables))
    return rowOf(shown as ShownKey) // the document has this one field
  }

  async function generated(query: string, variables: Record<string, unknown>) {
    const [made] = Object.values(
      await write<Record<string, { secret: string; apiKey: ShownKey }>>(api, query, variables),
    )
    if (!made) throw new AppError('INTERNAL')
    return { secret: made.secret, apiKey: rowOf(made.apiKey) }
  }

  async function revoked(query: string, variables: Record<string, unknown>): Promise<Revoked> {
    type Shown = { ids: string[]; revokedAt: string; durable: boolean }
    const [shown] = Object.values(await write<Record<string, Shown>>(api, query, variables))
    if (!shown) throw new AppError('INTERNAL')
    return { ids: shown.ids, revokedAt: Date.parse(shown.revokedAt), receipt: { durable: shown.durable } }
  }

  async function all<Item>(page: (after: string | null) => Promise<Page<Item>>): Promise<Item[]> {
    const items: Item[] = []
    for (let after: string | null = null; ; ) {
      const { data, pageInfo }: Page<Item> = await page(after)
      items.push(...data)
      if (!pageInfo.hasNextPage) return items
      after = pageInfo.endCursor
    }
  }

  const list: KeySource['list'] = async (filter) => {
    const page = async (after: string | null) => {
      const operation = { query: DOCUMENTS.LIST, variables: { first: PAGE, after, filter } }
      return (await dataOf<{ apiKeys: Page<ShownKey> }>(api, operation)).apiKeys
    }
    return (await all(page)).map(rowOf)
  }

  return {
    organization,
    now: systemClock,
    heldSince: async () => timeOf((await organizationNow()).organization.apiKeysHeldSince),
    list,
    find: async (id) => rowOf(await part<ShownKey>(DOCUMENTS.FIND, id)),
    recentUsage: async (id) => (await part<{ recentUsage: RecentUsage }>(DOCUMENTS.RECENT_USAGE, id)).recentUsage,
    async usageByDay(id) {
      type Shown = Omit<ApiKeyUsage, 'at'> & { at: string }
      const { usage } = await part<{ usage: Shown[] }>(DOCUMENTS.USAGE_BY_DAY, id)
      return usage.map(({ at, ...counts }) => ({ at: Date.parse(at), ...counts }))
    },
    async descendants(id) {
      type Shown = { id: string; label: string; parentId: string; lastUsedAt: string | null; expired: boolean }
      const found = await all(async (after) => {
        const variables = { first: PAGE, after }
        return (await part<{ descendants: Page<Shown> }>(DOCUMENTS.DESCENDANTS, id, variables)).descendants
      })
      const rows = found.map(({ expired, lastUsedAt, ...rest }): Descendant => {
        return { ...rest, lastUsedAt: timeOf(lastUsedAt), expiresAt: expired ? 0 : null }
      })
      return inTreeOrder(id, rows)
    },
    async stillThere(_id, known) {
      if (known.length === 0) return []
      try {
        return await list({ ids: known.slice(0, MOST_AT_ONCE).map(({ id }) => id) })
      } catch (error) {
        if (error instanceof AppError && error.code === 'API_KEY_INVALID') return known // it was the key of this call
        throw error
      }
    },
    policyOf: async ({ id }) => (await part<{ policy: ApiKeyPolicy }>(DOCUMENTS.POLICY, id)).policy,
    async refusedWhilePaused({ id }) {
      type Shown = { refusedWhilePaused: (Omit<RefusedWhilePaused, 'lastAt'> & { lastAt: string | null }) | null }
      const { refusedWhilePaused: refused } = await part<Shown>(DOCUMENTS.REFUSED_WHILE_PAUSED, id)
      return refused && { ...refused, lastAt: timeOf(refused.lastAt) }
    },
    async invited(id, { includeDescendants }) {
      const variables = { first: PAGE, includeDescendants: includeDescendants || null } // false would cost as much
      const { invitedUsers } = await part<{ invitedUsers: Page<InvitedPerson> }>(DOCUMENTS.INVITED, id, variables)
      return { people: invitedUsers.data, hasMore: invitedUsers.pageInfo.hasNextPage }
    },
    generate: ({ expiresAt, ...input }) =>
      generated(DOCUMENTS.GENERATE, { input: { ...inputOf(input), expiresAt: isoTime(expiresAt ?? null) } }),
    rotate: (id, { overlapSeconds, expiresAt }) =>
      generated(DOCUMENTS.ROTATE, { id, overlapSeconds, expiresAt: isoTime(expiresAt ?? null) ?? undefined }),
    update: (id, input) => changed(DOCUMENTS.UPDATE, { id, input: inputOf(input) }),
    pause: (id, seconds) => changed(DOCUMENTS.PAUSE, { id, seconds }),
    resume: (id) => changed(DOCUMENTS.RESUME, { id }),
    revoke: (id, { reason }) => revoked(DOCUMENTS.REVOKE, { id, reason }),
    async revokeListed(ids, { reason }) {
      if (ids.length > MOST_AT_ONCE)
        throw new AppError('LIMIT_EXCEEDED', { message: `At most ${MOST_AT_ONCE} keys can be revoked together.` })
      try {
        return await revoked(DOCUMENTS.REVOKE_MANY, { ids, reason })
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
        const left = (await list({ ids })).map(({ id }) => id) // some were deleted since they were listed
        if (left.length === 0) return { ids: [], revokedAt: systemClock(), receipt: { durable: true } }
        return revoked(DOCUMENTS.REVOKE_MANY, { ids: left, reason })
      }
    },
    changes: (id, since) => changesOf(api, id, { since: isoTime(since ?? null), slug: organization.slug }),
  }
}

/** Times as the API takes them. */
const inputOf = <Input extends OwnRulesInput>({ notBefore, ...others }: Input) => ({
  ...others,
  ...(notBefore !== undefined && { notBefore: isoTime(notBefore) }),
})

interface ChangesPage extends Page<Omit<ExportedEvent, 'organization'>> {
  keyCount: number
  isComplete: boolean
}

async function changesOf(
  api: Api,
  id: string,
  { since, slug }: { since: string | null; slug: string },
): Promise<KeyChanges> {
  const pageAfter = async (after: string | null) => {
    const operation = { query: DOCUMENTS.CHANGES, variables: { id, since, first: PAGE, after } }
    return (await dataOf<{ apiKeyChanges: ChangesPage }>(api, operation)).apiKeyChanges
  }
  const first = await pageAfter(null)
  async function* events(): AsyncGenerator<ExportedEvent[]> {
    for (let page = first; ; page = await pageAfter(page.pageInfo.endCursor)) {
      if (page.data.length > 0)
        yield page.data.map(({ id, at, ...event }) => ({ id, at, organization: slug, ...event }))
      if (!page.pageInfo.hasNextPage) return
    }
  }
  return { keyCount: first.keyCount, isComplete: first.isComplete, events: events() }
}
