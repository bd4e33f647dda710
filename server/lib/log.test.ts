import { expect, it } from 'vitest'
import { mintSecret } from '../secrets/secret.ts'
import { createLog } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('trace', { write: (line: string) => lines.push(line) }))
  return lines.join('')
}

it('redacts secrets in messages, fields, errors and nested values', () => {
  const secret = mintSecret('emp_')
  const text = logged((log) => {
    log.info(`used ${secret}`)
    log.info({ url: `/graphql?key=${secret}`, deep: { er: [{ secret: `x${secret}` }] } })
    log.error({ err: new Error(`refused ${secret}`) }, 'failed')
  })
  expect(text).not.toContain(secret)
  expect(text).not.toContain(secret.slice(4, 30))
  expect(text).toContain('used [secret]')
})

it.each(['password', 'newPassword', 'secret', 'token', 'cookie', 'authorization', 'api-secret'])(
  'redacts the field %s, whatever is in it',
  (name) => {
    const text = logged((log) => {
      log.info({ [name]: 'hunter2hunter2' })
      log.info({ body: { [name]: 'hunter2hunter2' } })
    })
    expect(text).not.toContain('hunter2')
  },
)

it('writes one JSON object a line', () => {
  const text = logged((log) => log.warn({ requestId: 'a-1' }, 'careful'))
  expect(JSON.parse(text)).toMatchObject({ level: 'warn', requestId: 'a-1', msg: 'careful' })
})

it('escapes control characters, so that a line is safe on a terminal', () => {
  const text = logged((log) => log.warn({ agent: '\u009b31m\u202egnp\u001b[2J' }, 'careful'))
  expect(text).not.toMatch(/[\u0080-\u009f\u202e]/)
  expect(JSON.parse(text)).toMatchObject({ agent: '\u009b31m\u202egnp\u001b[2J' })
})
