import { startWatchdog } from '../../../server/lib/watchdog.ts'

// Holds its own event loop when it is told to: for good, or until its watchdog has noticed.
const watchdog = startWatchdog({ tickMs: 100, reportedForTicks: 100_000 })
process.stdin.setEncoding('utf8').on('data', (line: string) => {
  for (const isForGood = line === 'for good\n'; line !== 'answer\n' && (isForGood || !watchdog.isStalled()); );
  process.stdout.write('here\n')
})
process.stdout.write('here\n')
