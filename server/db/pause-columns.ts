import type { ActorKind } from './actor-kind.ts'

/** The pause of a key. All are null for a key that was not paused, or was resumed. */
export interface PauseColumns {
  /** Refused until then; the last moment that there is: until it is resumed. One in the past: not paused. */
  pausedUntil: number | null
  pausedAt: number | null
  /** Who paused it, with the name of that time. */
  pausedByKind: ActorKind | null
  pausedById: string | null
  pausedByName: string | null
}
