import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A shell reads who is to be ended when nobody writes any more, and the folder is removed in any case. */
const GUARD = `
pid=
while read -r line; do pid=$line; done
if [ "$pid" ]; then
  kill -CONT "$pid" && kill -QUIT "$pid"
  waited=0
  while [ -e "$1/data/postmaster.pid" ] && [ $waited -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
fi
rm -rf "$1"
`

/** Sees to it that a postmaster and its folder are gone when this process is, however it ends: also by kill -9. */
export function guardFolder(folder: string) {
  const shell = spawn('sh', ['-c', GUARD, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  const gone = once(shell, 'exit')
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return {
    /** From now on this one is to be ended; none: it has ended. */
    watch: (pid: number | undefined) => void shell.stdin.write(`${pid ?? ''}\n`),
    /** Ends what is watched, and removes the folder. */
    close: async () => {
      shell.ref()
      shell.stdin.end()
      await gone
    },
  }
}
