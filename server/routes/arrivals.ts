import type { MaybePromise } from '../lib/maybe-promise.ts'

/** Handles one request of a group; a promise: it is not done yet. */
type Handle<Arrival> = (arrival: Arrival) => MaybePromise<void>

/**
 * Collects what arrives in one iteration of the event loop: everything that has been read from the network when `begin`
 * is called, and nothing that arrives later. Requests are handled one after the other, in the order of their arrival.
 * One that has to wait for something else does not hold up those behind it, but they begin only when it has done all
 * that it can do at once. So each finds what the ones before it have used of the time of this iteration, and knows the
 * documents that they brought.
 */
export function createArrivals<Arrival>(begin: (group: readonly Arrival[]) => Handle<Arrival>) {
  let arrived: Arrival[] = []

  function handleAll(): void {
    const group = arrived
    arrived = []
    handleFrom(0, group, begin(group))
  }

  function handleFrom(first: number, group: readonly Arrival[], handle: Handle<Arrival>): void {
    for (let at = first; at < group.length; at++) {
      const rest = at + 1
      const arrival = group[at] as Arrival // by index, since an iterator allocates for each of them
      if (handle(arrival) instanceof Promise && rest < group.length) {
        // a tick that a microtask asks for comes after all other microtasks
        queueMicrotask(() => process.nextTick(handleFrom, rest, group, handle))
        return
      }
    }
  }

  return (arrival: Arrival): void => {
    if (arrived.push(arrival) === 1) setImmediate(handleAll) // after the last of those that can be read now
  }
}
