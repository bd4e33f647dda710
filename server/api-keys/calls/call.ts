/** The maximum number of accepted calls of a key that are stored, and of refused ones. */
export const MOST_CALLS = 100

/** A call that was answered. Variables are not part of it. */
export interface Call {
  at: number
  /** Undefined: the document was not read, or is invalid. */
  operation: string | undefined
  address: string
  status: number
  ms: number
  /** The first error in the answer. */
  code: string | undefined
}

/** Each call of a process has a number, by which one that was written twice is recognized. */
export interface NumberedCall extends Call {
  number: number
}
