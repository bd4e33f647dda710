import { ActorType } from '../audit/audit-event.graphql.ts'
import { ALL_EVENT_TYPES, eventTypeName, eventTypeOf } from '../audit/webhook-events/event-types.ts'
import { ADMIN_ONLY } from '../caller/key-rules.ts'
import { LIMITS } from '../config/limits.ts'
import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { range, text, upTo } from '../graphql/domain.ts'
import { listType, pageArgs } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { listDeliveries } from './deliveries.ts'
import { WebhookDeliveryStateType, WebhookDeliveryType, WebhookEventTypeType } from './delivery.graphql.ts'
import {
  type CreatedWebhook,
  createWebhook,
  DEFAULT_OVERLAP_SECONDS,
  deleteWebhook,
  eventsOf,
  findWebhook,
  listWebhooks,
  MAX_OVERLAP_SECONDS,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from './webhook.ts'
import { MAX_DESCRIPTION, MAX_URL_LENGTH } from './webhook-input.ts'

const WebhookStateType = describedEnum('WebhookState', 'Whether a webhook is notified of events.', {
  ACTIVE: 'It is notified of events.',
  FAILING: 'It is notified of events, but the last attempts have failed. They are repeated.',
  PAUSED: 'Somebody has disabled it, or the portal has: `pausedReason` says why.',
})

export const WebhookType = builder.objectRef<Webhook>('Webhook').implement({
  access: ['READ_ONLY'],
  description:
    'An address that is notified of changes in the organization, by signed requests as in Standard Webhooks.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'Given by the portal.',
      'url: String!': 'Where deliveries are sent.',
      'description: String': 'What it is for. Null when nobody said.',
      'pausedReason: String': 'Why the portal has paused it. Null: it has not.',
      'createdAt: DateTime!': 'When it was created.',
      'updatedAt: DateTime!': 'When it was last changed, paused, or got another secret.',
    }),
    events: t.field({
      cost: { maxItems: ALL_EVENT_TYPES.length, weight: 0.05 }, // read with the webhook
      type: [WebhookEventTypeType],
      description: 'What it is notified of.',
      resolve: (webhook) => eventsOf(webhook).map(eventTypeName),
    }),
    enabled: t.boolean({
      description: 'Whether it is notified of events. Events that happen while it is not are not sent later.',
      resolve: ({ enabled }) => enabled === 1,
    }),
    state: t.field({
      type: WebhookStateType,
      description: 'Whether it is notified of events, and whether that works.',
      resolve: ({ enabled, failingSince }) => (enabled === 0 ? 'PAUSED' : failingSince === null ? 'ACTIVE' : 'FAILING'),
    }),
    createdBy: t.field({
      type: ActorType,
      description: 'The person or key that created it, with the name of that time.',
      resolve: ({ createdByKind: kind, createdById: id, createdByName: name }) => ({ kind, id, name }),
    }),
    secretRotatesAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before this one signs as well. Null: only one secret signs.',
      resolve: ({ previousSecretUntil: until }, _args, ctx) => (until !== null && until > ctx.now() ? until : null),
    }),
    deliveries: t.field({
      type: listType('WebhookDeliveryList', WebhookDeliveryType, 'deliveries'),
      description: 'What was and will be sent to it, the newest first, of the last 30 days and at most 10,000.',
      args: {
        ...pageArgs(t.arg),
        state: t.arg({ type: WebhookDeliveryStateType, description: 'Deliveries of this state alone.' }),
      },
      resolve: (webhook, args, ctx) => listDeliveries(ctx, webhook, args),
    }),
  }),
})

const CreatedWebhookType = builder.objectRef<CreatedWebhook>('CreatedWebhook').implement({
  access: ['READ_ONLY'],
  description: 'A webhook with its new secret, which is shown nowhere else.',
  fields: (t) => ({
    webhook: t.expose('webhook', { type: WebhookType, description: 'The webhook.' }),
    secret: t.exposeString('secret', {
      description: 'Signs every delivery; a receiver checks signatures with it. It begins with `whsec_`.',
    }),
  }),
})

const url = { ...text(MAX_URL_LENGTH), description: 'Where deliveries are sent: `https://…`, or `http://…`.' }
const description = { ...text(MAX_DESCRIPTION), description: `What it is for, at most ${MAX_DESCRIPTION} characters.` }
const events = {
  ...upTo(ALL_EVENT_TYPES.length),
  description: 'What it is notified of: at least one type, and not `TEST`.',
}

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    url: t.string({ ...url, required: true }),
    events: t.field({ ...events, type: [WebhookEventTypeType], required: true }),
    description: t.string(description),
  }),
})

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'The fields to change. What is absent stays as it is.',
  fields: (t) => ({
    url: t.string(url),
    events: t.field({ ...events, type: [WebhookEventTypeType] }),
    description: t.string(description),
    enabled: t.boolean({
      description: 'False: it is notified of nothing. True: it is again, and deliveries that are pending are sent.',
    }),
  }),
})

builder.queryFields((t) => ({
  webhooks: t.field({
    access: ADMIN_ONLY,
    cost: { maxItems: LIMITS.webhooks },
    type: [WebhookType],
    description: `The webhooks of the organization, the newest first, at most ${LIMITS.webhooks}. For an Admin.`,
    resolve: (_root, _args, ctx) => listWebhooks(ctx),
  }),
  webhook: t.field({
    access: ADMIN_ONLY, // an address may contain a token, and deliveries what a narrowed key does not see
    type: WebhookType,
    nullable: true,
    description: 'A webhook of the organization. For an Admin.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }) },
    resolve: (_root, { id }, ctx) => findWebhook(ctx, id),
  }),
}))

builder.mutationFields((t) => ({
  createWebhook: t.field({
    access: ADMIN_ONLY,
    effect: 'GIVES_SECRET',
    type: CreatedWebhookType,
    description: `Creates a webhook. An organization has at most ${LIMITS.webhooks}. For an Admin.`,
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The new webhook.' }) },
    resolve: (_root, { input }, ctx) =>
      createWebhook(ctx, { ...input, events: input.events.map(eventTypeOf) }, ctx.originConfig),
  }),
  updateWebhook: t.field({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    type: WebhookType,
    description: 'Changes a webhook, disables it, or enables it again. For an Admin.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, { id, input }, ctx) =>
      updateWebhook(ctx, id, { ...input, events: input.events?.map(eventTypeOf) }, ctx.originConfig),
  }),
  deleteWebhook: t.id({
    access: ADMIN_ONLY,
    effect: 'WRITES',
    description: 'Deletes a webhook with its deliveries, and returns its id. For an Admin.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }) },
    resolve: (_root, { id }, ctx) => deleteWebhook(ctx, id),
  }),
  rotateWebhookSecret: t.field({
    access: ADMIN_ONLY,
    effect: 'GIVES_SECRET',
    type: CreatedWebhookType,
    description:
      'Gives a webhook a new secret. Until the overlap ends the old one signs as well, so that a receiver can be changed in between. For an Admin.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of the webhook.' }),
      overlapSeconds: t.arg.int({
        ...range(0, MAX_OVERLAP_SECONDS),
        defaultValue: DEFAULT_OVERLAP_SECONDS,
        description: `How long the old secret signs as well, 0 to ${MAX_OVERLAP_SECONDS}; by default a day.`,
      }),
    },
    resolve: (_root, { id, overlapSeconds }, ctx) =>
      rotateWebhookSecret(ctx, id, overlapSeconds ?? DEFAULT_OVERLAP_SECONDS, ctx.originConfig),
  }),
}))
