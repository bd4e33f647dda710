// Takes the lock at the path that it is given, some times over, and notes in a file when it comes and goes.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { withLock } from '../../../scripts/lock.js'

const [path = '', notes = '', times = '1'] = process.argv.slice(2)
for (let turn = 0; turn < Number(times); turn++) {
  await withLock(path, async () => {
    appendFileSync(notes, `in ${process.pid}\n`)
    await pause(1)
    appendFileSync(notes, `out ${process.pid}\n`)
  })
}
