import { run } from './run.ts'
import { print } from './terminal.ts'

process.stdout.on('error', () => {
  // The reader has closed the pipe, or the disk is full: the lost output may have contained a secret.
  print(
    process.stderr,
    'The output could not be written completely. If the command changes something, it has done so: check before you repeat it.\n',
  )
  process.exit(1)
})

process.exitCode = 1 // until it has run
void run(process.argv.slice(2), process).then((code) => {
  process.exitCode = code
})
