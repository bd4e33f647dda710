/** A value, or a promise of it: what SQLite answers at once costs no promise. */
export type MaybePromise<Value> = Value | Promise<Value>
