import { expect, it } from 'vitest'
import { fc } from '../support/fast-check.ts'
import { createFailingStatements } from './failing-statements.ts'

const startup = Buffer.from('\0\0\0\x12\0\x03\0\0user\0me\0\0\0', 'latin1')
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const message = (type: string, body: string) =>
  Buffer.concat([Buffer.from(type), Buffer.from([0, 0, 0, 4 + body.length]), Buffer.from(body)])
const query = (text: string) => message('Q', `${text}\0`)
const prepare = (name: string, text: string) => message('P', `${name}\0${text}\0\0\0`)
const bind = (name: string) => message('B', `\0${name}\0\0\0\0\0\0\0`)
const [describe, execute, flush, sync] = [
  message('D', 'S\0'),
  message('E', '\0\0\0\0\0'),
  message('H', ''),
  message('S', ''),
]

/** What goes on to the server, as the types of the messages; one that raises an error has its code beside it. */
function typesOf(bytes: Buffer): string {
  let types = ''
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    const body = bytes.toString('latin1', at + 5, at + 1 + bytes.readUInt32BE(at + 1))
    const [, code] = /errcode = '(\w+)'/.exec(body) ?? []
    types += String.fromCharCode(bytes[at] ?? 0) + (code ? `(${code})` : '')
  }
  return types
}

const through = (pick: () => string | undefined, ...messages: Buffer[]) => {
  const pass = createFailingStatements(pick)
  pass(startup)
  return typesOf(pass(Buffer.concat(messages)))
}
const always = () => '53200'

it('a statement is replaced as a whole, in each of the ways in which a client sends one', () => {
  expect(through(always, query('select 1'))).toBe('Q(53200)')
  expect(through(always, bind('s1'), execute, sync)).toBe('P(53200)BES')
  expect(through(always, prepare('s1', 'select 1'), describe, bind('s1'), execute, sync)).toBe('P(53200)BES')
  expect(through(always, prepare('s1', 'select $1'), describe, flush)).toBe('P(53200)BEH')
})

it('the rest of a statement that was described first is left out, but not its Sync', () => {
  const pass = createFailingStatements(always)
  pass(startup)
  pass(Buffer.concat([prepare('s1', 'select $1'), describe, flush]))
  expect(typesOf(pass(sync))).toBe('S')
  expect(typesOf(pass(Buffer.concat([bind('s1'), execute, sync])))).toBe('P(53200)BES')
})

it('each statement is picked separately, also where several arrive at once', () => {
  const codes = ['58030', undefined, 'XX000']
  const pick = () => codes.shift()
  const one = [bind('s1'), execute, sync]
  expect(through(pick, ...one, ...one, query('commit'))).toBe('P(58030)BESBESQ(XX000)')
})

it('a rollback always passes, however it is sent', () => {
  expect(through(always, query('rollback'), query(' ABORT work'))).toBe('QQ')
  expect(through(always, prepare('r', 'rollback'), describe, bind('r'), execute, sync)).toBe('PDBES')
  expect(through(always, prepare('r', 'rollback'), sync, bind('r'), execute, sync)).toBe('PSBES')
})

it('what comes before the first statement passes: the request for encryption, the login', () => {
  const pass = createFailingStatements(always)
  const login = message('p', 'secret\0')
  const sent = Buffer.concat([sslRequest, startup, login])
  expect(pass(sent)).toEqual(sent)
})

it('it does not matter how the bytes are split', () => {
  const sent = [
    prepare('s1', 'select $1'),
    describe,
    flush,
    bind('s1'),
    execute,
    sync,
    query('begin'),
    query('rollback'),
  ]
  const bytes = Buffer.concat([sslRequest, startup, ...sent, bind('s1'), execute, sync])
  const run = (pieces: Buffer[]) => {
    let count = 0
    const pass = createFailingStatements(() => (count++ % 2 === 0 ? undefined : '57P03'))
    return Buffer.concat(pieces.map(pass)).toString('latin1')
  }
  const cuts = fc.array(fc.nat(bytes.length), { maxLength: 20 }).map((places) => [...places, 0, bytes.length])
  const whole = run([bytes])
  const agree = fc.property(cuts, (places) => {
    const sorted = places.sort((a, b) => a - b)
    const pieces = sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end))
    expect(run(pieces)).toBe(whole)
  })
  fc.assert(agree)
})
