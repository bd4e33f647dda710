/** A value, or a promise of it: what SQLite answers at once costs no promise. */
export type MaybePromise<Value> = Value | Promise<Value>

/** Applies `next` to the value as soon as it is there. */
export const andThen = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (value instanceof Promise ? value.then(next) : next(value))
