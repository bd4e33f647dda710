import DataLoader from 'dataloader'
import type { RequestCtx } from './builder.ts'

/** Loads a value for an object of a list, in one query for all of them that `what` names. Not cached: a mutation may come in between. */
export function load<Value>(
  ctx: RequestCtx,
  what: string,
  id: string,
  loadAll: (ids: readonly string[]) => Promise<ArrayLike<Value>>,
): Promise<Value> {
  ctx.loaders ??= new Map()
  const loader = ctx.loaders.get(what) ?? new DataLoader<string, unknown>(loadAll, { cache: false })
  ctx.loaders.set(what, loader)
  return loader.load(id) as Promise<Value> // by its name, a loader has one `loadAll`
}
