import { once } from 'node:events'
import { withStage } from './run.ts'
import type { DatabaseName } from './store.ts'

/** The portal and the data of a run, for a person who wants to send a document again by hand; until a line is entered. */
export const serve = (database: DatabaseName): Promise<boolean> =>
  withStage(database, write, async ({ portal }, { callers }) => {
    for (const { name, path, headers } of callers) {
      const given = Object.entries(headers).map(([header, value]) => `-H '${header}: ${value}'`)
      const call = ['curl', `http://127.0.0.1:${portal.port()}${path}`, "-H 'content-type: application/json'", ...given]
      write(`${name}: ${call.join(' ')} --data-binary @body.json`)
    }
    write('Put the body of a finding into body.json. Enter ends this.')
    await once(process.stdin, 'data')
    return true
  })

const write = (words: string) => void process.stderr.write(`${words}\n`)
