import type { BackupSchedule } from '../backup/schedule.ts'
import type { Deps } from '../caller/deps.ts'
import { startEmailWorker } from '../mail/email-worker.ts'
import { startWebhookWorker } from '../webhooks/webhook-worker.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { startDemoActivity } from './demo/activity.ts'

/** Everything that runs without a request. Of several workers one does it. */
export interface BackgroundWork {
  start(): void
  close(): Promise<void>
}

export function createBackgroundWork(
  deps: Deps,
  { demo, backups }: { demo: boolean; backups: BackupSchedule | undefined },
): BackgroundWork {
  let closes: (() => Promise<void> | undefined)[] | undefined
  let isClosed = false
  return {
    start() {
      if (isClosed || closes) return
      const email = startEmailWorker(deps) // first, since it alone may throw: then nothing has started
      const all = [
        email,
        startBackgroundJobs(deps),
        startWebhookWorker(deps),
        demo ? startDemoActivity(deps) : undefined,
        backups,
      ]
      backups?.start()
      closes = all.map((each) => () => each?.close())
    },
    async close() {
      isClosed = true
      await Promise.all((closes ?? []).map((close) => close()))
    },
  }
}
