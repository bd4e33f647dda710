import { mintSecret } from '../../server/secrets/secret.ts'
import { oneOf, type Random } from '../fault/random.ts'
import { type Sender, signatureOf } from '../support/world/leak-sender.ts'
import { spoiledJson } from './hostile-json.ts'
import type { Worst } from './worst.ts'

const COUNTS = [0, 1, 10, 1000, 1001]
const TOKENS = [mintSecret('emp_'), 'emp_'.repeat(900), 'x', '\u0000']
const URLS = [
  'https://github.com/octocat/hello/blob/1234560/config.env',
  `https://example.com/${'%25'.repeat(600)}`,
  `https://example.com/${'emp_'.repeat(500)}`,
  `https://${'@'.repeat(1000)}:${'a'.repeat(1000)}@example.com/`,
  `${'a+'.repeat(1000)}://x`,
]

/** A report of leaked secrets, signed by a known sender or by nobody; none of its secrets is anybody's. */
export function leakReport(random: Random, sender: Sender): Worst {
  const entry = {
    token: oneOf(random, TOKENS),
    type: 'edge_portal_api_key',
    url: oneOf(random, URLS),
    source: 'content',
  }
  const entries = Array(oneOf(random, COUNTS)).fill(entry)
  const body = random() < 0.5 ? JSON.stringify(entries) : `[${spoiledJson(entry, random)}]`
  const isSigned = random() < 0.9
  const callsOf = () => [
    {
      path: '/leaks',
      headers: {
        'github-public-key-identifier': sender.identifier,
        'github-public-key-signature': signatureOf(sender, isSigned ? body : `${body} `),
      },
      body,
    },
  ]
  return { shape: 'leaks', sizes: [1], callsOf }
}
