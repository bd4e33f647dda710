export type ActorKind = 'USER' | 'API_KEY' | 'SUPPORT' | 'SYSTEM'
export type AuditSubjectType =
  | 'API_KEY'
  | 'CANARY_KEY'
  | 'DEVICE'
  | 'DEVICE_VIEW'
  | 'INVITATION'
  | 'ORGANIZATION'
  | 'USER'
  | 'WEBHOOK'

export interface AuditEventTable {
  id: string
  organizationId: string
  at: number
  action: string
  actorKind: ActorKind
  actorId: string | null
  actorName: string
  subject: string | null
  details: string | null
  /** Null, as the columns below: recorded before there was this column, or there is nothing to say. */
  subjectType: AuditSubjectType | null
  subjectId: string | null
  /** A list of fields with their values before and after, as JSON. */
  changes: string | null
  ip: string | null
}
