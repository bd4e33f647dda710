import type { AppError } from '../lib/app-error.ts'

const errors = new WeakMap<object, AppError>()

/** Marks an entry of a list as invalid, without refusing the others. */
export const markInvalid = (item: object, error: AppError): void => void errors.set(item, error)

/** Why an entry of a list `eachOnItsOwn` is invalid; undefined: it is valid. */
export const errorOfItem = (item: object): AppError | undefined => errors.get(item)
