/** Every refusal a client can meet: words that are safe to show, and the HTTP status where a door gives it. */
export const FAILURES = {
  UNAUTHENTICATED: { status: 401, says: 'Send an API key in the api-secret header.' },
  API_KEY_INVALID: {
    status: 401,
    says: 'This API key is not accepted: it is mistyped, revoked or never existed. Ask an Admin for a new one.',
  },
  API_KEY_EXPIRED: { status: 401, says: 'This API key has reached its end date. Ask an Admin to generate a new one.' },
  FORBIDDEN: { status: 403, says: 'This needs the Admin role in the organization.' },
  FEATURE_DISABLED: {
    status: 403,
    says: 'API keys are switched off for this organization. An Admin or support can switch them on.',
  },
  NOT_FOUND: { status: 404, says: 'There is no such thing here, or you may not see it.' },
  BAD_USER_INPUT: { status: 400, says: 'A value is not allowed.' },
  CONFLICT: { status: 409, says: 'This cannot be done in the current state.' },
  LIMIT_EXCEEDED: { status: 409, says: 'A limit has been reached.' },
  QUERY_TOO_COMPLEX: {
    status: 400,
    says: 'The operation asks for too much at once. Ask for fewer fields or smaller pages.',
  },
  RATE_LIMITED: { status: 429, says: 'Too many requests. Wait as long as Retry-After says, then try again.' },
  UNAVAILABLE: {
    status: 503,
    says: 'The portal cannot answer right now. Try again in a moment.',
  },
  INTERNAL: { status: 500, says: 'Something went wrong here. Report it with the requestId.' },
  BAD_REQUEST: { status: 400, says: 'This is not a GraphQL request. POST a JSON object with a query.' },
  PAYLOAD_TOO_LARGE: { status: 413, says: 'The request is too large.' },
  GRAPHQL_PARSE_FAILED: { status: 400, says: 'The document is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, says: 'The document does not fit the schema.' },
} as const

export type FailureCode = keyof typeof FAILURES

interface FailureDetails {
  /** Words for the caller in place of the table's; never a secret, never the caller's own input. */
  says?: string
  /** Where a door gives another HTTP status than the table's. */
  status?: number
  /** The argument or input field at fault. */
  field?: string
  /** For UNAUTHENTICATED: how to show who one is, where that is not by a key. */
  challenge?: string
  /** For RATE_LIMITED and UNAVAILABLE: when to come back. */
  retryAfterSeconds?: number
  /** Shown to the caller beside the code. */
  extensions?: Readonly<Record<string, number | string>>
  cause?: unknown
}

/** A refusal that the caller can act on. Anything else that is thrown is a bug: masked, and logged. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly details: FailureDetails

  constructor(code: FailureCode, details: FailureDetails = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0 // where it was refused tells nobody anything, and took a sixth of the time of a refusal
    super(details.says ?? FAILURES[code].says, { cause: details.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'Failure'
    this.code = code
    this.details = details
  }
}

/** The `extensions` that a client sees for a failure. */
export function failureExtensions(failure: Failure, requestId: string): Record<string, unknown> {
  const { field, extensions } = failure.details
  return { code: failure.code, requestId, ...(field !== undefined && { field }), ...extensions }
}

/** Something that only whoever runs the machine can mend: one sentence that says what to do, and no stack. */
export class OperatorError extends Error {
  constructor(says: string, cause?: unknown) {
    super(says, { cause })
    this.name = 'OperatorError'
  }
}
