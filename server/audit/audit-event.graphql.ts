import type { Actor } from '../ctx.ts'
import type { AuditEventTable } from '../db/tables.ts'
import { builder } from '../graphql/builder.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { listAuditEvents } from './audit-event.ts'

const ActorKindType = builder.enumType('ActorKind', { values: ['USER', 'API_KEY', 'SUPPORT', 'SYSTEM'] as const })

export const ActorType = builder.objectRef<Actor>('Actor').implement({
  description: "Who did it: a person, a key, the vendor's support, or the system.",
  fields: (t) => ({
    kind: t.expose('kind', { type: ActorKindType }),
    id: t.exposeID('id', { nullable: true }),
    name: t.exposeString('name', { description: 'As it was then.' }),
  }),
})

const AuditEventType = builder.objectRef<AuditEventTable>('AuditEvent').implement({
  description: 'Something that happened in the organization. Never changed, never a secret in it.',
  fields: (t) => ({
    id: t.exposeID('id'),
    at: t.expose('at', { type: 'DateTime' }),
    action: t.exposeString('action', { description: 'Such as `api_key.revoked`.' }),
    actor: t.field({
      type: ActorType,
      resolve: (event) => ({ kind: event.actorKind, id: event.actorId, name: event.actorName }),
    }),
    subject: t.exposeString('subject', { nullable: true, description: 'What it happened to, by name.' }),
    details: t.exposeString('details', { nullable: true }),
  }),
})

const AuditEventFilterInput = builder.inputType('AuditEventFilter', {
  fields: (t) => ({
    action: t.string(),
    actorId: t.id(),
    since: t.field({ type: 'DateTime', description: 'From this moment on.' }),
    until: t.field({ type: 'DateTime', description: 'Before this moment.' }),
  }),
})

builder.queryField('auditEvents', (t) =>
  t.field({
    type: listType('AuditEventList', AuditEventType),
    description: 'What happened, the newest first. For an Admin or a key.',
    args: { ...pageArgs(t.arg), filter: t.arg({ type: AuditEventFilterInput }) },
    resolve: (_root, args, ctx) => listAuditEvents(ctx, args),
  }),
)
