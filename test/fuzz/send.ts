import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { bodyOf, type Call, type CallAnswer, isPlain } from './call.ts'
import type { Caller } from './callers.ts'

/** Sends calls to a portal; whoever is not answered in time has an answer without a status. */
export interface Sender {
  send(caller: Pick<Caller, 'path' | 'headers'>, call: Call, timeoutMs: number): Promise<CallAnswer>
  close(): void
}

export function createSender(port: number): Sender {
  const agent = new Agent({ keepAlive: true })
  return {
    async send(caller, call, timeoutMs) {
      const path = pathOf(caller, call)
      const body = bodyOf(call)
      const since = performance.now()
      const answered = await new Promise<Omit<CallAnswer, 'ms'>>((resolve) => {
        const nothing = () => resolve({ status: undefined, body: '' })
        const signal = AbortSignal.timeout(timeoutMs)
        const head = {
          'content-type': 'application/json',
          ...caller.headers,
          ...(isPlain(call) && call.headers),
          'content-length': Buffer.byteLength(body),
        }
        request({ host: '127.0.0.1', port, method: 'POST', path, headers: head, agent, signal }, (response) => {
          const { statusCode: status, headers } = response
          const pointsLeft = pointsIn(headers['ratelimit'])
          text(response).then((body) => resolve({ status, body, pointsLeft }), nothing)
        })
          .once('error', nothing)
          .end(body)
      })
      return { ...answered, ms: performance.now() - since }
    },
    close: () => agent.destroy(),
  }
}

/** Where a call goes: to the path of its caller, unless it has one of its own. */
export const pathOf = ({ path }: Pick<Caller, 'path'>, call: Call | undefined): string =>
  call && isPlain(call) ? call.path : path

function pointsIn(rateLimit: string | string[] | undefined): number | undefined {
  const [, left] = /;r=(\d+)/.exec(String(rateLimit)) ?? []
  return left === undefined ? undefined : Number(left)
}
