export type EmailKind =
  | 'KEY_EXPIRY'
  | 'KEY_LEAKED'
  | 'CANARY_KEY'
  | 'INVITATION'
  | 'PASSWORD_RESET'
  | 'EMAIL_VERIFICATION'
  | 'DATABASE_RESTORED'
  | 'WEBHOOK_PAUSED'

/** An email in the queue. One with a link is encrypted, and its text is deleted once it is sent. */
export interface EmailTable {
  id: string
  organizationId: string | null
  kind: EmailKind
  recipient: string
  subject: string
  text: string
  encrypted: 0 | 1
  createdAt: number
  /** From then on it is no longer useful and is not sent. */
  usefulUntil: number
  nextTryAt: number
  tries: number
  sentAt: number | null
  /** The hash of the token in its link: once that no longer works, the email is not sent. */
  linkHash: Uint8Array | null
  lastError: string | null
  /** The person against whose limit it counts; null: nobody's. */
  causedById: string | null
}
