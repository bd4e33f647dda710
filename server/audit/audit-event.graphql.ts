import type { Actor } from '../ctx.ts'
import type { AuditEventTable } from '../db/tables.ts'
import { builder } from '../graphql/builder.ts'
import { text } from '../graphql/domain.ts'
import { listType, pageArgs } from '../graphql/list.ts'
import { listAuditEvents } from './audit-event.ts'

const ActorKindType = builder.enumType('ActorKind', {
  description: 'What kind of caller did something.',
  values: {
    USER: { description: 'A signed-in person.' },
    API_KEY: { description: 'A script with an API key.' },
    SUPPORT: { description: "One of the vendor's support staff." },
    SYSTEM: { description: 'The command line, or the portal itself.' },
  } as const,
})

export const ActorType = builder.objectRef<Actor>('Actor').implement({
  description: "Who did it: a person, a key, the vendor's support, or the system.",
  fields: (t) => ({
    kind: t.expose('kind', { type: ActorKindType, description: 'A person, a key, support or the system.' }),
    id: t.exposeID('id', { nullable: true, description: 'The id of the person or key. Null for the system.' }),
    name: t.exposeString('name', { description: 'The name of the person or the label of the key, as it was then.' }),
  }),
})

export const AuditEventType = builder.objectRef<AuditEventTable>('AuditEvent').implement({
  description:
    'An entry of the audit log: something that happened in the organization. It is never changed, and holds no secret.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the entry. Entries are listed in the order of their ids.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    action: t.exposeString('action', { description: 'What happened, such as `api_key.revoked` or `device.created`.' }),
    actor: t.field({
      type: ActorType,
      description: 'Who did it.',
      resolve: (event) => ({ kind: event.actorKind, id: event.actorId, name: event.actorName }),
    }),
    subject: t.exposeString('subject', {
      nullable: true,
      description: 'What it happened to, by the name that it had then.',
    }),
    details: t.exposeString('details', {
      nullable: true,
      description: 'The rest in plain words, such as what changed and the ids. Null when there is nothing to add.',
    }),
  }),
})

const AuditEventFilterInput = builder.inputType('AuditEventFilter', {
  description: 'Which entries of the audit log: all conditions that are given must hold.',
  fields: (t) => ({
    action: t.string({ ...text(), description: 'This action alone, such as `api_key.revoked`.' }),
    actorId: t.id({ description: 'Done by this person or key.' }),
    since: t.field({ type: 'DateTime', description: 'At this time or later.' }),
    until: t.field({ type: 'DateTime', description: 'Before this time.' }),
  }),
})

builder.queryField('auditEvents', (t) =>
  t.field({
    type: listType('AuditEventList', AuditEventType, 'audit events'),
    description: 'The audit log of the organization, the newest first. For an Admin or a key.',
    args: { ...pageArgs(t.arg), filter: t.arg({ type: AuditEventFilterInput, description: 'Absent: every entry.' }) },
    resolve: (_root, args, ctx) => listAuditEvents(ctx, args),
  }),
)
