import { ALL_EVENT_TYPES } from '../../server/audit/webhook-events/event-types.ts'
import { firstIdAt } from '../../server/lib/id.ts'
import { newWebhookSecret, webhookEncryptionOf } from '../../server/webhooks/webhook-secret.ts'
import { canaryOf, idCanaryOf, idOf, type Letter } from './organization-rows.ts'
import { HOSTILE_KINDS, type Receivers } from './receivers.ts'
import type { Row, Store } from './store.ts'

const START = Date.UTC(2026, 0, 1)
/** As many as an organization may have. */
const WEBHOOKS = 20

/** The last characters of an id are its number: those of a delivery begin with them. */
export const webhookId = (letter: Letter, i: number) => firstIdAt(START) + idCanaryOf(letter) + String(900_000 + i)

/** All events of one organization go to as many quick receivers as there may be; tests of another to hostile ones. */
export async function fillWebhooks(
  store: Store,
  { fanOut, hostile }: Record<'fanOut' | 'hostile', Letter>,
  receivers: Receivers,
) {
  const all = JSON.stringify(ALL_EVENT_TYPES.filter((type) => type !== 'test'))
  const quick = Array.from({ length: WEBHOOKS }, (_, i) => webhookRow(store, fanOut, i, receivers.urlOf('quick'), all))
  const others = HOSTILE_KINDS.map((kind, i) =>
    webhookRow(store, hostile, i, receivers.urlOf(kind), '["policy.changed"]'),
  )
  await store.insert('webhook', [...quick, ...others])
  await store.insert(
    'webhookProgress',
    [fanOut, hostile].map((letter) => ({
      organizationId: idOf(letter, 'organization', 0),
      version: 0,
      offlineSeenAt: Date.now(),
      offlineDeviceId: '',
    })),
  )
}

function webhookRow(store: Store, letter: Letter, i: number, url: string, events: string): Row {
  const id = webhookId(letter, i)
  const { PORTAL_SECRET: portalSecret = '', DATA_DIR: dataDir = '' } = store.env
  return {
    id,
    organizationId: idOf(letter, 'organization', 0),
    url,
    description: `receiver ${canaryOf(letter)}`,
    events,
    enabled: 1,
    pausedReason: null,
    failingSince: null,
    secret: webhookEncryptionOf({ portalSecret, dataDir }).encrypt(newWebhookSecret(), id),
    previousSecret: null,
    previousSecretUntil: null,
    createdAt: START,
    createdByKind: 'USER',
    createdById: idOf(letter, 'user', 0),
    createdByName: `Ada ${canaryOf(letter)}`,
    updatedAt: START,
  }
}
