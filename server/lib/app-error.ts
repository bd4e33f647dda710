/** Every error a client can get: a message that is safe to show, and the HTTP status where a route answers with it. */
export const ERRORS = {
  UNAUTHENTICATED: { status: 401, message: 'Send an API key in the api-secret header.' },
  API_KEY_INVALID: {
    status: 401,
    message: 'This API key is not accepted: it is mistyped, revoked or never existed. Ask an Admin for a new one.',
  },
  API_KEY_EXPIRED: {
    status: 401,
    message: 'This API key has expired. Ask an Admin to generate a new one.',
  },
  API_KEY_PAUSED: {
    status: 403,
    message: 'This API key is paused: it is accepted again when an Admin resumes it.',
  },
  KEYS_HELD: {
    status: 403,
    message:
      'No API key is accepted at the moment: the database was restored, and revocations may be missing. The operator of the portal decides what to keep. Try again later.',
  },
  FORBIDDEN: { status: 403, message: 'This needs the Admin role in the organization.' },
  FEATURE_DISABLED: {
    status: 403,
    message: 'API keys are switched off for this organization. An Admin or support can switch them on.',
  },
  NOT_FOUND: { status: 404, message: 'It does not exist, or you may not see it.' },
  BAD_USER_INPUT: { status: 400, message: 'A value is not allowed.' },
  CONFLICT: { status: 409, message: 'This cannot be done in the current state.' },
  NOT_APPLIED: { status: 409, message: 'Not done, because another item of the same call failed.' },
  LIMIT_EXCEEDED: { status: 409, message: 'A limit has been reached.' },
  QUERY_TOO_COMPLEX: {
    status: 400,
    message: 'The operation requests too much at once. Request fewer fields or smaller pages.',
  },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Wait for the time in Retry-After, then try again.' },
  UNAVAILABLE: {
    status: 503,
    message: 'The portal cannot answer right now. Try again in a moment.',
  },
  INTERNAL: { status: 500, message: 'Something went wrong here. Report it with the requestId.' },
  BAD_REQUEST: { status: 400, message: 'This is not a GraphQL request. POST a JSON object with a query.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request is too large.' },
  GRAPHQL_PARSE_FAILED: { status: 400, message: 'The document is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, message: 'The document does not fit the schema.' },
} as const

export type ErrorCode = keyof typeof ERRORS

interface ErrorDetails {
  /** A message in place of the table's; never a secret, never the caller's own input. */
  message?: string
  /** Where a route answers with another HTTP status than the table's. */
  status?: number
  /** Where a route answers: further headers of the answer, such as Allow. */
  headers?: Readonly<Record<string, string>>
  field?: string
  /** For UNAUTHENTICATED: the authentication scheme, where it is not an API key. */
  challenge?: string
  /** For RATE_LIMITED and UNAVAILABLE: when to retry. */
  retryAfterSeconds?: number
  limit?: string
  /** Shown to the caller beside the code. */
  extensions?: Readonly<Record<string, number | string>>
  /** What else is wrong with the same input: the caller gets an error for each. */
  others?: readonly AppError[]
  cause?: unknown
}

/** An error that the caller can act on. Anything else that is thrown is a bug: masked, and logged. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0 // the stack of a refusal is of no use, and takes a sixth of its time
    super(details.message ?? ERRORS[code].message, { cause: details.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'AppError'
    this.code = code
    this.details = details
  }
}

/** An error with all others that were found together with it. */
export const allErrorsIn = (error: AppError): readonly AppError[] => [error, ...(error.details.others ?? [])]

export function errorExtensions(failure: AppError, requestId: string): Record<string, unknown> {
  const { field, extensions } = failure.details
  return { code: failure.code, requestId, ...(field !== undefined && { field }), ...extensions }
}

/** An error that only the operator can fix: one sentence that says what to do, and no stack. */
export class OperatorError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OperatorError'
  }
}

export const notFound = () => new AppError('NOT_FOUND')
