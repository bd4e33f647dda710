import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { newWebhookSecret, signedHeaders } from '../../server/webhooks/webhook-secret.ts'
import { SAMPLES } from '../../web/pages/webhooks/verify-samples.ts'
import { plainEnv } from '../support/environment.ts'

const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0
const BODY = '{"type":"device.created","data":{"name":"Prüfstand 7"}}'
const MINUTE = 60_000

/** Each sample as a program that says whether the request that it is given is signed. */
const PROGRAMS = {
  Node: {
    command: process.execPath,
    args: ['--input-type=module', '-'],
    code: `${SAMPLES.Node}
const { headers, body } = JSON.parse(process.argv[2])
console.log(isSigned(headers, body))`,
  },
  Python: {
    command: 'python3',
    args: ['-'],
    code: `${SAMPLES.Python}
import json, sys
request = json.loads(sys.argv[1])
print(str(is_signed(request["headers"], request["body"].encode())).lower())`,
  },
} as const

describe.for(['Node', 'Python'] as const)('the %s sample of the page', (language) => {
  const [secret, other] = [newWebhookSecret(), newWebhookSecret()]
  const sent = { id: 'msg_1', at: Date.now(), body: BODY }
  const early = { ...sent, at: sent.at - 6 * MINUTE }
  const signed = signedHeaders(sent, [secret])

  it.skipIf(language === 'Python' && !HAS_PYTHON).for([
    { of: 'its own secret', headers: signed, body: BODY, accepted: true },
    { of: 'both secrets of a rotation', headers: signedHeaders(sent, [other, secret]), body: BODY, accepted: true },
    { of: 'another secret', headers: signedHeaders(sent, [other]), body: BODY, accepted: false },
    { of: 'another body', headers: signed, body: BODY.replace('7', '8'), accepted: false },
    { of: 'six minutes ago', headers: signedHeaders(early, [secret]), body: BODY, accepted: false },
    { of: 'nobody', headers: {}, body: BODY, accepted: false },
  ])('a signature of $of: $accepted', ({ headers, body, accepted }) => {
    const { command, args, code } = PROGRAMS[language]
    const { stdout, stderr } = spawnSync(command, [...args, JSON.stringify({ headers, body })], {
      input: code,
      env: { ...plainEnv(), WEBHOOK_SECRET: secret },
      encoding: 'utf8',
    })
    expect([stdout.trim(), stderr]).toEqual([String(accepted), ''])
  })
})
