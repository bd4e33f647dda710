import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Crew } from './crew.ts'
import type { ParentLink } from './link.ts'

const AGAIN_AFTER_MS = SECOND

/** Lets one worker do what runs without a request; when that has stopped there, or the worker is gone, another one. */
export function assignBackgroundWork(crew: Crew, link: ParentLink, log: Log): void {
  let assigned: number | undefined

  function assign(): void {
    const [worker] = crew.serving()
    if (assigned !== undefined || worker === undefined) return
    assigned = worker
    link.ask(worker, 'background work', {}).then(
      () => log.info({ by: worker }, 'background jobs run'),
      (error) => {
        log.warn({ err: error, asked: worker }, 'background jobs could not be started; this is tried again') // it hangs, or is gone
        setTimeout(() => ended(worker), AGAIN_AFTER_MS).unref()
      },
    )
  }

  function ended(worker: number): void {
    if (assigned !== worker) return
    assigned = undefined
    assign()
  }

  link.onTell('background work ended', ended)
  link.onGone(ended)
  crew.onChange(assign)
}
