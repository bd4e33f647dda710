/**
 * Collects what has been read from the network in one iteration of the event loop, then handles one after the other: the
 * sockets are read, and answered, in one go. `handle` does not throw.
 */
export function createArrivals<Arrival>(handle: (arrival: Arrival) => void): (arrival: Arrival) => void {
  let arrived: Arrival[] = []
  function handleAll(): void {
    const group = arrived
    arrived = []
    for (const arrival of group) handle(arrival)
  }
  return (arrival) => {
    if (arrived.push(arrival) === 1) setImmediate(handleAll) // after the last of those that can be read now
  }
}
