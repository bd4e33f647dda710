/** Which error the next statement meets; undefined: none. */
export type PickError = () => string | undefined

const STARTUP_VERSION = 3 // the protocol's major number; other first messages ask for encryption or cancel a query
const BEGINS_A_STATEMENT = new Set(['P', 'B', 'D', 'E', 'C'])
const ROLLBACK = /^\s*(rollback|abort)\b/i

/**
 * Stands between a client and PostgreSQL: takes the client's bytes, gives what goes on to the server. A statement that
 * is picked is replaced as a whole by one that raises the error, so that the real server refuses it, and knows whether
 * it is in a transaction. What ends a transaction for the worse always goes through.
 */
export function createFailingStatements(pick: PickError): (bytes: Buffer) => Buffer {
  let held: Buffer = Buffer.alloc(0)
  let started = false
  let statement: 'none' | 'passing' | 'failing' = 'none'
  const rollbacks = new Set<string>()

  const pass = (message: Buffer): Buffer[] => {
    const type = String.fromCharCode(message[0] ?? 0)
    if (type === 'Q') {
      const error = ROLLBACK.test(textAt(message, 5)) ? undefined : pick()
      return [error === undefined ? message : query(error)]
    }
    if (type === 'S') statement = 'none'
    if (!BEGINS_A_STATEMENT.has(type)) return [message]
    if (statement === 'passing') return [message]
    if (statement === 'failing') return [] // the rest of it: the server has been told something else
    const error = isRollback(type, message, rollbacks) ? undefined : pick()
    statement = error === undefined ? 'passing' : 'failing'
    return error === undefined ? [message] : [extendedQuery(error)]
  }

  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    const out: Buffer[] = []
    for (;;) {
      const typeLength = started ? 1 : 0
      if (held.length < typeLength + 4) break
      const length = typeLength + held.readUInt32BE(typeLength)
      if (held.length < length) break
      const message = held.subarray(0, length)
      held = held.subarray(length)
      if (started) out.push(...pass(message))
      else {
        started = message.length >= 8 && message.readUInt16BE(4) === STARTUP_VERSION
        out.push(message)
      }
    }
    return out.length === 1 && out[0] ? out[0] : Buffer.concat(out)
  }
}

function isRollback(type: string, message: Buffer, names: Set<string>): boolean {
  const first = textAt(message, 5)
  const second = textAt(message, 5 + Buffer.byteLength(first) + 1)
  if (type === 'B') return names.has(second) // portal, then the name of the statement
  if (type !== 'P' || !ROLLBACK.test(second)) return false // the name of the statement, then its text
  names.add(first)
  return true
}

const textAt = (message: Buffer, at: number) => message.toString('utf8', at, message.indexOf(0, at))

const raise = (code: string) => `do $$ begin raise exception 'planted' using errcode = '${code}'; end $$`

const query = (code: string) => frame('Q', `${raise(code)}\0`)

/** Parse, Bind and Execute; the client's own Flush or Sync follows. */
const extendedQuery = (code: string) =>
  Buffer.concat([frame('P', `\0${raise(code)}\0\0\0`), frame('B', '\0\0\0\0\0\0\0\0'), frame('E', '\0\0\0\0\0')])

function frame(type: string, body: string): Buffer {
  const message = Buffer.alloc(5 + body.length)
  message.write(type, 0)
  message.writeUInt32BE(4 + body.length, 1)
  message.write(body, 5)
  return message
}
