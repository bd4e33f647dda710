import { randomUUID } from 'node:crypto'
import type { Answers, Outcome } from './answers.ts'
import type { Client, Request } from './client.ts'
import type { Organization } from './cluster.ts'
import type { Operation } from './history.ts'
import type { Replica } from './replica.ts'

const GENERATE = 'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'

/** The cheapest thing to ask for with a key. */
export const READ = { query: '{ viewer { role } }' }

/** Something to write, with a name that nobody has used. */
export const newDevice = () => ({ query: CREATE, variables: { name: `device ${randomUUID()}` } })

export interface Key {
  id: string
  secret: string
  owner: Organization
}

/** Does what clients do, and writes down when it began, when it was answered, and how. */
export interface Recorder {
  history: Operation[]
  /**
   * A call with a key, counted by what is said of the key. One whose body is held back starts when it is released: a request
   * is judged by the key as it is when its body has come (C12).
   */
  call(client: Client<Replica>, to: Replica, key: Key, request: Omit<Request, 'secret'>): Promise<Outcome>
  /** Undefined: not answered; the key may be there, and nobody knows its secret. */
  generate(client: Client<Replica>, to: Replica, owner: Organization, input?: object): Promise<Key | undefined>
  /** Whether the key is gone for certain. */
  revoke(client: Client<Replica>, to: Replica, key: Key): Promise<boolean>
}

export function createRecorder(answers: Answers): Recorder {
  const history: Operation[] = []

  const begin = (key: string, kind: Operation['kind']): Operation => {
    return { key, kind, start: performance.now(), end: Number.POSITIVE_INFINITY, answer: 'unknown' }
  }
  const end = (operation: Operation, answer: Operation['answer']) => {
    operation.end = performance.now()
    operation.answer = answer
  }
  const requireOwner = ({ words }: Outcome) => {
    if (words.includes('API_KEY_INVALID')) answers.wrong.push('a key that nobody revoked was refused')
  }
  return {
    history,
    async call(client, to, { id, secret }, { release, ...request }) {
      const operation = begin(id, 'call')
      const released = release?.then(() => {
        if (operation.end === Number.POSITIVE_INFINITY) operation.start = performance.now()
      })
      const outcome = await client.send(to, { secret, ...request, ...(released && { release: released }) })
      end(operation, outcome.verdict)
      history.push(operation)
      return outcome
    },
    async generate(client, to, owner, input) {
      const operation = begin('', 'generate')
      const outcome = await client.send(to, { secret: owner.secret, query: GENERATE, variables: { input } })
      requireOwner(outcome)
      if (outcome.verdict !== 'accepted') return undefined
      const { secret, apiKey } = (outcome.data as Generated).generateApiKey // as GENERATE asks for it
      operation.key = apiKey.id
      end(operation, 'accepted')
      history.push(operation)
      return { id: apiKey.id, secret, owner }
    },
    async revoke(client, to, { id, owner }) {
      const operation = begin(id, 'revoke')
      history.push(operation) // while it is under way it may have happened
      const request = { secret: owner.secret, query: REVOKE, variables: { id } }
      const outcome = await client.send(to, { ...request, also: { '200 NOT_FOUND': 'refused' } })
      requireOwner(outcome)
      end(operation, outcome.verdict)
      return outcome.verdict !== 'unknown'
    },
  }
}

interface Generated {
  generateApiKey: { secret: string; apiKey: { id: string } }
}
