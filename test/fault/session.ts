import { setTimeout as pause } from 'node:timers/promises'
import { call, post } from '../support/http.ts'
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
  const url = () => `http://127.0.0.1:${portal.port()}`
  const enter = async (path: string) => {
    for (let tries = 1; ; tries++) {
      const { cookie, status } = await post(`${url()}/auth/${path}`, PERSON)
      if (cookie) return cookie
      if (status !== 503 || tries === TRIES) throw new Error(`Nobody can ${path}: ${status}.`)
      await pause(AGAIN_AFTER_MS)
    }
  }
  let cookie = await enter('sign-up')
  return {
    async signIn() {
      cookie = await enter('sign-in')
    },
    isAccepted: async () => (await call(`${url()}/portal/graphql`, { cookie }, '{ viewer { role } }')).status === 200,
  }
}
