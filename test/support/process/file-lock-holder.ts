import { FileLock } from '../../../server/db/sqlite/file-lock.ts'

// Holds the lock for the files that it is told, until it is killed; says whether it does.
const [path = '', identity = ''] = process.argv.slice(2)
const lock = new FileLock(path, path)
process.stdout.write(lock.acquire(identity) ? 'held' : 'refused')
process.stdin.resume()
