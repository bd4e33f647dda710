import { spawnSync } from 'node:child_process'

const NOBODY = 65534
const LOOPBACK_ONLY = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']

/** How a command is run as an ordinary user without a network, as far as this machine lets us; put before the command. */
export function fence(): { before: string[]; user: number | undefined; offline: boolean } {
  const isRoot = process.getuid?.() === 0
  const offline = isRoot && works(LOOPBACK_ONLY)
  const drops = isRoot && works(AS_NOBODY)
  return {
    before: [...(offline ? LOOPBACK_ONLY : []), ...(drops ? AS_NOBODY : [])],
    user: drops ? NOBODY : process.getuid?.(),
    offline,
  }
}

function works([command = '', ...args]: string[]): boolean {
  return spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0
}
