import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Somebody who reports leaked secrets, with a key pair of their own. */
export interface Sender {
  identifier: string
  publicKey: string
  privateKey: KeyObject
}

export function newSender(identifier: string, namedCurve = 'prime256v1'): Sender {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { identifier, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey }
}

/** The list of public keys, as GitHub serves it. */
export const listOf = (...senders: Pick<Sender, 'identifier' | 'publicKey'>[]) =>
  JSON.stringify({
    public_keys: senders.map(({ identifier, publicKey }) => ({
      key_identifier: identifier,
      key: publicKey,
      is_current: true,
    })),
  })

export const signatureOf = ({ privateKey }: Sender, body: string | Uint8Array) =>
  sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'der' }).toString('base64')

export const reportOf = (...tokens: string[]) =>
  JSON.stringify(
    tokens.map((token, i) => ({
      token,
      type: 'edge_portal_api_key',
      url: `https://github.com/octocat/hello/blob/1234560/config-${i}.env`,
      source: 'content',
    })),
  )

export interface Reported {
  status: number
  headers: Headers
  body: unknown
}

interface Sent {
  body?: string | Uint8Array<ArrayBuffer>
  identifier?: string
  signature?: string
  headers?: Record<string, string>
}

/** Sends a report, signed by this sender unless something else is given. */
export async function report(url: string, sender: Sender, body: string, sent: Sent = {}): Promise<Reported> {
  const answer = await fetch(`${url}/leaks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'github-public-key-identifier': sent.identifier ?? sender.identifier,
      'github-public-key-signature': sent.signature ?? signatureOf(sender, body),
      ...sent.headers,
    },
    body: sent.body ?? body,
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

/** A real server at which a list of public keys can be fetched. */
export async function startKeyServer(answer: RequestListener) {
  const requests: string[] = []
  const state = { answer }
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    state.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens
  return {
    url: `http://127.0.0.1:${port}/keys`,
    requests,
    setAnswer: (answer: RequestListener) => {
      state.answer = answer
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const serving =
  (list: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(list)
