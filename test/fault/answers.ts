import type { Verdict } from './history.ts'
import { answeredBy, type HttpAnswer, NoAnswer } from './http-connection.ts'

/** What a request came to: what it says of the key, its data if there are any, and words to count it by. */
export interface Outcome {
  verdict: Verdict
  data: unknown
  /** Such as `200`, `401 API_KEY_INVALID`, `connection lost`. */
  words: string
  /** The process that answered: its mark in the ids of requests. */
  by: string | undefined
  /** The body. */
  text: string
}

/** The only ways in which the portal may answer, whatever is done to it. */
const RIGHT_ANSWERS: Record<string, Verdict> = {
  '200': 'accepted',
  '401 API_KEY_INVALID': 'refused',
  '200 API_KEY_INVALID': 'refused', // by the transaction, which asks again
  '503 UNAVAILABLE': 'unknown',
  '429 RATE_LIMITED': 'unknown', // by a process that hardly gets a processor: it has not yet checked the document
  '408 BAD_REQUEST': 'unknown', // the client itself stood still for 10 s between connecting and writing
  'connection lost': 'unknown',
  'no answer in time': 'unknown',
}

/** Counts answers, and keeps what is not right. */
export interface Answers {
  counts: Map<string, number>
  wrong: string[]
  /** What a request came to; `also` are answers that are right for it alone. */
  read(sent: Promise<HttpAnswer>, also?: Record<string, Verdict>): Promise<Outcome>
}

export function createAnswers(): Answers {
  const counts = new Map<string, number>()
  const wrong: string[] = []
  return {
    counts,
    wrong,
    async read(sent, also = {}) {
      const { words, data, text, by } = await sent.then(understand).catch(notAnswered)
      counts.set(words, (counts.get(words) ?? 0) + 1)
      const verdict = also[words] ?? RIGHT_ANSWERS[words]
      if (verdict === undefined) wrong.push(`answered ${words}: ${text.slice(0, 300)}`)
      return { verdict: verdict ?? 'unknown', data, words, by, text }
    },
  }
}

/** Everything that must be there for an answer to be right goes into its words: what lacks it is no right answer. */
function understand({ status, head, body }: HttpAnswer) {
  const { data, errors = [] } = JSON.parse(body)
  const codes = errors.map((error: { extensions?: { code?: string } }) => error.extensions?.code ?? 'no code')
  const lacks = status === 503 && !/\r\nretry-after: \d/i.test(head) ? ['without Retry-After'] : []
  return { words: [status, ...codes, ...lacks].join(' '), data, text: body, by: answeredBy(head) }
}

function notAnswered(error: unknown) {
  return {
    words: error instanceof NoAnswer ? error.why : 'in no way that is understood',
    data: undefined,
    text: String(error),
    by: undefined,
  }
}
