import { buildWeb } from '../../../scripts/build-web.js'
import { freePort } from '../../support/process/free-port.ts'
import { startPortalProcess } from '../processes.ts'
import { PORTAL, type Replica } from '../replica.ts'
import { until } from '../until.ts'
import { type CrewLog, createCrewLog } from './crew-log.ts'

const ALL_SERVE_WITHIN_MS = 120_000

/** A portal with several workers, as an operator starts it. */
export interface WorkersPortal extends Replica {
  workers: number
  crew: CrewLog
  /** To the parent. */
  signal(signal: NodeJS.Signals): void
  /** Waits until those are gone, and as many serve as there should be; false: it takes too long. */
  allServe(gone?: readonly number[]): Promise<boolean>
}

export async function startWorkersPortal(workers: number, env: Record<string, string>): Promise<WorkersPortal> {
  await buildWeb()
  const settings = { WORKERS: String(workers), PORT: String(await freePort()), LOG_LEVEL: 'info', ...env }
  const started = await startPortalProcess(PORTAL, settings)
  const crew = createCrewLog()
  for (const line of started.said()) crew.read(line)
  started.onSaid(crew.read)
  let isStopping = false
  let hasEnded = false
  /** One that is stopped would not notice that its parent is gone. */
  const killWorkers = () => {
    if (hasEnded) return
    for (const pid of crew.serving.values()) sendSignal(pid, 'SIGKILL')
  }
  process.on('exit', killWorkers)
  void started.ended.then(() => {
    process.off('exit', killWorkers)
    hasEnded = true
    if (!isStopping) crew.wrong.push('the portal has ended by itself')
  })
  const end = (by: () => void) => async () => {
    isStopping = true
    by()
    await started.ended
  }
  const portal: WorkersPortal = {
    name: `a portal with ${workers} workers`,
    workers,
    crew,
    port: () => started.port,
    start: async () => {},
    kill: end(() => {
      started.kill()
      killWorkers()
    }),
    stop: end(started.stop),
    pause: started.pause,
    signal: (signal) => void (started.pid && process.kill(started.pid, signal)),
    troubles: () => crew.wrong,
    said: started.said,
    async allServe(gone = []) {
      const isSo = () => gone.every((worker) => !crew.serving.has(worker)) && crew.serving.size === workers
      await until(isSo, ALL_SERVE_WITHIN_MS)
      return isSo()
    },
  }
  if (!(await portal.allServe())) throw new Error(`Its workers do not start: ${started.said().join('\n')}`)
  return portal
}

/** Nothing happens if it is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
