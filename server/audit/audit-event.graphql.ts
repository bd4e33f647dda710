import type { Actor } from '../caller/ctx.ts'
import { EVERY_ACCESS } from '../caller/key-rules.ts'
import type { AuditEventTable, AuditSubjectType } from '../db/audit-event-table.ts'
import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { listType, pageArgs } from '../graphql/list-type.ts'
import { plainFields } from '../graphql/plain-fields.ts'
import { AUDIT_ACTIONS, actionName, knownName, OTHER_ACTION, storedAction } from './actions.ts'
import { listAuditEvents } from './audit-event.ts'
import { type FieldChange, MAX_FIELDS, readChanges } from './changed-fields.ts'

const ActorKindType = describedEnum('ActorKind', 'What kind of caller did something.', {
  USER: 'A signed-in person.',
  API_KEY: 'A script with an API key.',
  SUPPORT: "One of the vendor's support staff.",
  SYSTEM: 'The command line, or the portal itself.',
})

export const ActorType = builder.objectRef<Actor>('Actor').implement({
  description: "Who did it: a person, a key, the vendor's support, or the system.",
  fields: (t) => ({
    kind: t.expose('kind', {
      access: EVERY_ACCESS,
      type: ActorKindType,
      description: 'A person, a key, support or the system.',
    }),
    ...plainFields(t, EVERY_ACCESS, {
      'id: ID': 'The id of the person or key. Null for the system.',
      'name: String!': 'The name of the person or the label of the key, as it was then.',
    }),
  }),
})

const ACTIONS = Object.entries(AUDIT_ACTIONS).map(([action, description]) => [actionName(action), description] as const)

const AuditActionType = describedEnum(
  'AuditAction',
  'What an entry of the audit log records. A later version of the portal may add values.',
  Object.fromEntries([
    ...ACTIONS,
    [actionName(OTHER_ACTION), 'Something that a newer version of the portal has recorded.'],
  ]),
)

const SUBJECT_TYPES: Record<AuditSubjectType, string> = {
  API_KEY: 'An API key.',
  CANARY_KEY: 'A canary key.',
  DEVICE: 'A device.',
  DEVICE_VIEW: 'A saved view of the device list.',
  INVITATION: 'An invitation that was not accepted yet.',
  ORGANIZATION: 'The organization or personal account.',
  USER: 'A person.',
  WEBHOOK: 'A webhook.',
}

const AuditSubjectTypeType = describedEnum(
  'AuditSubjectType',
  'What kind of object an entry of the audit log is about.',
  SUBJECT_TYPES,
)

const AuditChangeType = builder.objectRef<FieldChange>('AuditChange').implement({
  access: ['READ_ONLY'],
  description: 'A field that was changed. Long values are cut, and end in `…`.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Its name, as in the rest of the API where it has it.' }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its value before. Null when it had none, or what it belongs to was created.',
      resolve: ({ before }) => before ?? null,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Its value after. Null when it has none, or what it belonged to was deleted.',
      resolve: ({ after }) => after ?? null,
    }),
  }),
})

export const AuditEventType = builder.objectRef<AuditEventTable>('AuditEvent').implement({
  access: ['READ_ONLY'],
  description:
    'An entry of the audit log: something that happened in the organization. It is never changed, and holds no secret.',
  fields: (t) => ({
    ...plainFields(t, {
      'id: ID!': 'The id of the entry. Entries are listed in the order of their ids.',
      'at: DateTime!': 'When it happened.',
      'subject: String': 'What it happened to, by the name that it had then.',
      'subjectId: ID':
        'The id of that object, which may no longer exist. Null for several at once, and for older entries.',
      'ip: String':
        'The address of the caller. Null on the command line, for what the portal does by itself, and for older entries.',
      'details: String':
        'The rest in plain words, such as what changed and the ids. Null when there is nothing to add.',
    }),
    action: t.field({
      type: AuditActionType,
      description: 'What happened.',
      resolve: ({ action }) => knownName(action),
    }),
    actor: t.field({
      type: ActorType,
      description: 'Who did it.',
      resolve: (event) => ({ kind: event.actorKind, id: event.actorId, name: event.actorName }),
    }),
    subjectType: t.field({
      type: AuditSubjectTypeType,
      nullable: true,
      description: 'What kind of object it happened to. Null for entries of older versions.',
      resolve: ({ subjectType }) =>
        subjectType !== null && Object.hasOwn(SUBJECT_TYPES, subjectType) ? subjectType : null,
    }),
    changes: t.field({
      cost: { maxItems: MAX_FIELDS, weight: 0.05 }, // read with the entry
      type: [AuditChangeType],
      nullable: true,
      description:
        'The fields that were changed, with their values before and after; never a secret. Null when no field was, and for older entries.',
      resolve: ({ changes }) => readChanges(changes),
    }),
  }),
})

const AuditEventFilterInput = builder.inputType('AuditEventFilter', {
  description: 'Which entries of the audit log: all conditions that are given must hold.',
  fields: (t) => ({
    action: t.field({ type: AuditActionType, description: 'This action alone.' }),
    actorId: t.id({ description: 'Done by this person or key.' }),
    subjectId: t.id({ description: 'About this key, device, person, invitation or organization.' }),
    since: t.field({ type: 'DateTime', description: 'At this time or later.' }),
    until: t.field({ type: 'DateTime', description: 'Before this time.' }),
  }),
})

builder.queryField('auditEvents', (t) =>
  t.field({
    access: ['READ_ONLY'],
    type: listType('AuditEventList', AuditEventType, 'audit events'),
    description: 'The audit log of the organization, the newest first. For an Admin or a key.',
    args: {
      ...pageArgs(t.arg),
      filter: t.arg({ isSearch: true, type: AuditEventFilterInput, description: 'Absent: every entry.' }),
    },
    resolve: (_root, { filter, ...page }, ctx) => {
      const action = filter?.action == null ? null : storedAction(filter.action)
      return listAuditEvents(ctx, { ...page, filter: { ...filter, action } })
    },
  }),
)
