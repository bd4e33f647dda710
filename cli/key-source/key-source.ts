import type { OwnRulesInput } from '../../server/api-keys/access/own-rules.ts'
import type { ApiKeyFilter } from '../../server/api-keys/filter.ts'
import type { RefusedWhilePaused } from '../../server/api-keys/pause/pause-keys.ts'
import type { ApiKeyPolicy } from '../../server/api-keys/policy/policy.ts'
import type { ApiKeyDescendant } from '../../server/api-keys/rotation/lineage.ts'
import type { ApiKeyUsage, RecentUsage } from '../../server/api-keys/usage/read-usage.ts'
import type { ExportedEvent } from '../../server/audit/export.ts'
import { AppError } from '../../server/lib/app-error.ts'
import type { Clock } from '../../server/lib/clock.ts'
import type { Person } from '../../server/users/person.ts'
import { type Api, dataOf, write } from '../api/graphql-api.ts'
import { errorOf } from '../errors.ts'
import { inTreeOrder } from '../lineage-tree.ts'
import { isoTime } from '../time.ts'
import * as DOCUMENTS from './key-documents.ts'
import { type ShownKey, timeOf } from './shown-key.ts'

/** A page of keys or changes costs less than an operation may. */
const PAGE = 200
const MAX_AT_ONCE = 500

interface Page<Item> {
  data: Item[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

interface ShownOrganization {
  organization: { name: string; slug: string; apiKeysHeldSince: string | null }
}

export type InvitedPerson = Pick<Person, 'name' | 'email' | 'role' | 'invited'>

export interface Revoked {
  ids: string[]
  revokedAt: number
  durable: boolean
}

/** What was selected besides the ids: checked again when the keys are revoked. */
export type Selection = Pick<ApiKeyFilter, 'createdById' | 'unusedForDays'>

/** What became of a secret that was reported. */
export interface ReportedLeak {
  revoked: boolean
  durable: boolean
  descendantCount: number
  apiKey: { id: string; label: string } | null
  canaryApiKey: { id: string; label: string } | null
}

export interface ShownCanary {
  id: string
  label: string
  prefix: string
  createdAt: string
  calls: number
  lastUsedAt: string | null
  lastUsedIp: string | null
  lastUsedUserAgent: string | null
  leakedAt: string | null
}

export type KeySource = Awaited<ReturnType<typeof keySource>>

/** The keys of the organization that this API acts in. */
export async function keySource(api: Api, now: Clock) {
  const organizationNow = () => dataOf<ShownOrganization>(api, { query: DOCUMENTS.ORGANIZATION })
  const { organization } = await organizationNow()

  /** One part of one key. */
  async function part<Data>(query: string, id: string, variables: object = {}): Promise<Data> {
    const { apiKey } = await dataOf<{ apiKey: Data }>(api, { query, variables: { id, ...variables } })
    return apiKey
  }

  /** What a mutation with one root field answers with. */
  async function done<Answer>(query: string, variables: Record<string, unknown>): Promise<Answer> {
    const [answer] = Object.values(await write<Record<string, Answer>>(api, query, variables))
    if (answer == null) throw new AppError('INTERNAL')
    return answer
  }

  const changed = (query: string, variables: Record<string, unknown>) => done<ShownKey>(query, variables)

  const generated = (query: string, variables: Record<string, unknown>) =>
    done<{ secret: string; durable: boolean; apiKey: ShownKey }>(query, variables)

  async function revoked(query: string, variables: Record<string, unknown>): Promise<Revoked> {
    const { revokedAt, ...shown } = await done<Omit<Revoked, 'revokedAt'> & { revokedAt: string }>(query, variables)
    return { ...shown, revokedAt: Date.parse(revokedAt) }
  }

  /** Revokes the listed keys that still exist and match, together; never another one. */
  async function revokeTogether(ids: readonly string[], selection: Selection, reason: string | null): Promise<Revoked> {
    try {
      return await revoked(DOCUMENTS.REVOKE_MANY, { input: { ...selection, ids }, reason })
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
      const left = (await list({ ids })).map(({ id }) => id) // some were deleted since they were listed
      if (left.length === 0) return nothingRevoked()
      return revoked(DOCUMENTS.REVOKE_MANY, { input: { ...selection, ids: left }, reason })
    }
  }

  const nothingRevoked = (): Revoked => ({ ids: [], revokedAt: now(), durable: true })

  async function all<Item>(page: (after: string | null) => Promise<Page<Item>>): Promise<Item[]> {
    const items: Item[] = []
    for (let after: string | null = null; ; ) {
      const { data, pageInfo }: Page<Item> = await page(after)
      items.push(...data)
      if (!pageInfo.hasNextPage) return items
      after = pageInfo.endCursor
    }
  }

  /** The keys of the organization, the newest first; with a filter, those that match. */
  function list(filter?: Pick<ApiKeyFilter, 'ids' | 'unusedForDays'>) {
    return all(async (after: string | null) => {
      const operation = { query: DOCUMENTS.LIST, variables: { first: PAGE, after, filter } }
      return (await dataOf<{ apiKeys: Page<ShownKey> }>(api, operation)).apiKeys
    })
  }

  return {
    organization,
    now,
    /** Since when no key is accepted; null: they are. */
    heldSince: async () => timeOf((await organizationNow()).organization.apiKeysHeldSince),
    list,
    find: (id: string) => part<ShownKey>(DOCUMENTS.FIND, id),
    recentUsage: async (id: string) =>
      (await part<{ recentUsage: RecentUsage }>(DOCUMENTS.RECENT_USAGE, id)).recentUsage,
    async usageByDay(id: string) {
      type Shown = Omit<ApiKeyUsage, 'at'> & { at: string }
      const { usage } = await part<{ usage: Shown[] }>(DOCUMENTS.USAGE_BY_DAY, id)
      return usage.map(({ at, ...counts }) => ({ at: Date.parse(at), ...counts }))
    },
    /** All keys that it generated, directly or through others: each after its parent, siblings by age. */
    async descendants(id: string) {
      type Shown = Pick<ApiKeyDescendant, 'id' | 'label' | 'parentId'> & { lastUsedAt: string | null; expired: boolean }
      const found = await all(async (after) => {
        const variables = { first: PAGE, after }
        return (await part<{ descendants: Page<Shown> }>(DOCUMENTS.DESCENDANTS, id, variables)).descendants
      })
      return inTreeOrder(id, found)
    },
    /** Which of these keys are still active. */
    async activeOf(ids: string[]): Promise<string[]> {
      if (ids.length === 0) return []
      try {
        const left = await list({ ids: ids.slice(0, MAX_AT_ONCE) })
        return left.flatMap(({ id, expired }) => (expired ? [] : id))
      } catch (error) {
        if (error instanceof AppError && error.code === 'API_KEY_INVALID') return ids // it was the key of this call
        throw error
      }
    },
    policyOf: async (id: string) => (await part<{ policy: ApiKeyPolicy }>(DOCUMENTS.POLICY, id)).policy,
    async refusedWhilePaused(id: string) {
      type Shown = { refusedWhilePaused: (Omit<RefusedWhilePaused, 'lastAt'> & { lastAt: string | null }) | null }
      const { refusedWhilePaused: refused } = await part<Shown>(DOCUMENTS.REFUSED_WHILE_PAUSED, id)
      return refused && { ...refused, lastAt: timeOf(refused.lastAt) }
    },
    async invited(id: string, { includeDescendants }: { includeDescendants: boolean }) {
      const variables = { first: PAGE, includeDescendants: includeDescendants || null } // false would cost as much
      const { invitedUsers } = await part<{ invitedUsers: Page<InvitedPerson> }>(DOCUMENTS.INVITED, id, variables)
      return { people: invitedUsers.data, hasMore: invitedUsers.pageInfo.hasNextPage }
    },
    generate: ({
      expiresAt,
      ...input
    }: OwnRulesInput & { label?: string | undefined; expiresAt?: number | undefined }) =>
      generated(DOCUMENTS.GENERATE, { input: { ...inputOf(input), expiresAt: isoTime(expiresAt ?? null) } }),
    rotate: (
      id: string,
      { overlapSeconds, expiresAt }: { overlapSeconds?: number | undefined; expiresAt?: number | undefined },
    ) => generated(DOCUMENTS.ROTATE, { id, overlapSeconds, expiresAt: isoTime(expiresAt ?? null) ?? undefined }),
    update: (id: string, input: OwnRulesInput) => changed(DOCUMENTS.UPDATE, { id, input: inputOf(input) }),
    pause: (id: string, seconds: number | undefined) => changed(DOCUMENTS.PAUSE, { id, seconds }),
    resume: (id: string) => changed(DOCUMENTS.RESUME, { id }),
    async revoke(id: string, reason: string | null): Promise<Revoked> {
      try {
        return await revoked(DOCUMENTS.REVOKE, { id, reason })
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
        return nothingRevoked() // somebody else has revoked it since it was listed
      }
    },
    async revokeListed(ids: readonly string[], selection: Selection, reason: string | null = null): Promise<Revoked> {
      const together = { ...nothingRevoked() }
      for (let from = 0; from < ids.length; from += MAX_AT_ONCE) {
        const part = await revokeTogether(ids.slice(from, from + MAX_AT_ONCE), selection, reason).catch((error) => {
          throw from === 0 ? error : partlyRevoked(together.ids.length, error)
        })
        together.ids.push(...part.ids)
        together.revokedAt = part.revokedAt
        together.durable &&= part.durable
      }
      return together
    },
    reportLeaked: (secret: string, url: string | undefined) =>
      done<ReportedLeak>(DOCUMENTS.REPORT_LEAKED, { secret, url }),
    canaries: async () =>
      (await dataOf<{ canaryApiKeys: ShownCanary[] }>(api, { query: DOCUMENTS.CANARIES })).canaryApiKeys,
    generateCanary: (label: string) =>
      done<{ secret: string; canaryApiKey: { id: string; label: string } }>(DOCUMENTS.GENERATE_CANARY, { label }),
    deleteCanary: (id: string) => done<string>(DOCUMENTS.DELETE_CANARY, { id }),
    changes: (id: string, since: number | undefined) =>
      changesOf(api, id, { since: isoTime(since ?? null), slug: organization.slug }),
  }
}

/** The error when a call for some of the keys succeeded and the next one failed. */
const partlyRevoked = (count: number, error: unknown) =>
  new AppError('UNAVAILABLE', {
    message: `${count} keys are revoked, and the others are not: ${errorOf(error).message} Run the command again for the rest.`,
    cause: error,
  })

/** Times as the API takes them. */
const inputOf = <Input extends OwnRulesInput>({ notBefore, ...others }: Input) => ({
  ...others,
  ...(notBefore !== undefined && { notBefore: isoTime(notBefore) }),
})

interface ChangesPage extends Page<Omit<ExportedEvent, 'organization'>> {
  keyCount: number
  isComplete: boolean
}

async function changesOf(api: Api, id: string, { since, slug }: { since: string | null; slug: string }) {
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
