import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { bodyOf, type CallAnswer, type GraphqlCall } from './call.ts'
import type { Caller } from './callers.ts'

/** Sends calls to a portal; whoever is not answered in time has an answer without a status. */
export interface Sender {
  send(caller: Pick<Caller, 'path' | 'headers'>, call: GraphqlCall, timeoutMs: number): Promise<CallAnswer>
  close(): void
}

export function createSender(port: number): Sender {
  const agent = new Agent({ keepAlive: true })
  return {
    async send({ path, headers }, call, timeoutMs) {
      const body = bodyOf(call)
      const since = performance.now()
      const answered = await new Promise<Omit<CallAnswer, 'ms'>>((resolve) => {
        const nothing = () => resolve({ status: undefined, body: '' })
        const signal = AbortSignal.timeout(timeoutMs)
        const head = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
        request({ host: '127.0.0.1', port, method: 'POST', path, headers: head, agent, signal }, (response) => {
          const { statusCode: status } = response
          text(response).then((body) => resolve({ status, body }), nothing)
        })
          .once('error', nothing)
          .end(body)
      })
      return { ...answered, ms: performance.now() - since }
    },
    close: () => agent.destroy(),
  }
}
