import { setTimeout as pause } from 'node:timers/promises'
import { call, post } from '../support/world/http.ts'
import type { Target } from './client.ts'

const TRIES = 30
const AGAIN_AFTER_MS = 1000
const PERSON = { name: 'Ada', email: 'ada@example.com', password: 'a long enough passphrase' }

/** Somebody who signs in again and again. */
export interface SignedIn {
  signIn(): Promise<void>
  /** Whether the last session is accepted. */
  isAccepted(): Promise<boolean>
}

export async function signUp(portal: Target): Promise<SignedIn> {
  /** Again while the portal cannot answer, or is being started. */
  async function answerOf<Answer extends { status: number }>(send: (url: string) => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const url = `http://127.0.0.1:${portal.port()}`
      const answer = portal.port() === undefined ? undefined : await send(url).catch(() => undefined)
      if (answer && answer.status !== 503) return answer
      if (tries === TRIES) throw new Error(`The portal does not answer: ${answer?.status}.`)
      await pause(AGAIN_AFTER_MS)
    }
  }
  const enter = async (path: string) => {
    const { cookie, status } = await answerOf((url) => post(`${url}/auth/${path}`, PERSON))
    if (!cookie) throw new Error(`Nobody can ${path}: ${status}.`)
    return cookie
  }
  let cookie = await enter('sign-up')
  return {
    async signIn() {
      cookie = await enter('sign-in')
    },
    async isAccepted() {
      const { status } = await answerOf((url) => call(`${url}/portal/graphql`, { cookie }, '{ viewer { role } }'))
      return status === 200
    },
  }
}
