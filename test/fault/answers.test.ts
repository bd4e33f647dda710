import { expect, it } from 'vitest'
import { createAnswers } from './answers.ts'
import { NoAnswer } from './http-connection.ts'

const errors = (...codes: string[]) => ({ errors: codes.map((code) => ({ message: 'No.', extensions: { code } })) })
const answer =
  (status: number, body: object | string, head = '') =>
  async () => {
    return { status, head, body: typeof body === 'string' ? body : JSON.stringify(body) }
  }
const none = (why: NoAnswer['why']) => () => Promise.reject(new NoAnswer(why))
const RETRY = '\r\nretry-after: 1\r\n'

it.each([
  ['accepted', '200', answer(200, { data: { viewer: { role: 'ADMIN' } } })],
  ['refused', '401 API_KEY_INVALID', answer(401, errors('API_KEY_INVALID'))],
  ['refused', '200 API_KEY_INVALID', answer(200, { data: null, ...errors('API_KEY_INVALID') })],
  ['unknown', '503 UNAVAILABLE', answer(503, errors('UNAVAILABLE'), RETRY)],
  ['unknown', '408 BAD_REQUEST', answer(408, errors('BAD_REQUEST'))],
  ['unknown', 'connection lost', none('connection lost')],
  ['unknown', 'no answer in time', none('no answer in time')],
])('%s: %s is a right answer', async (verdict, words, sent) => {
  const answers = createAnswers()
  expect(await answers.read(sent())).toMatchObject({ verdict, words })
  expect([...answers.counts, ...answers.wrong]).toEqual([[words, 1]])
})

it.each([
  ['500 INTERNAL', answer(500, errors('INTERNAL'))],
  ['200 INTERNAL', answer(200, { data: null, ...errors('INTERNAL') })],
  ['200 UNAVAILABLE', answer(200, { data: null, ...errors('UNAVAILABLE') })],
  ['503 UNAVAILABLE without Retry-After', answer(503, errors('UNAVAILABLE'))],
  ['401 API_KEY_EXPIRED', answer(401, errors('API_KEY_EXPIRED'))],
  ['401', answer(401, {})],
  ['in no way that is understood', answer(200, '<html>')],
])('%s is a wrong answer, says nothing about the key, and is reported', async (words, sent) => {
  const answers = createAnswers()
  expect(await answers.read(sent())).toMatchObject({ verdict: 'unknown', words })
  expect(answers.wrong).toEqual([expect.stringContaining(`answered ${words}`)])
})

it('an answer can be right for one request only', async () => {
  const answers = createAnswers()
  const sent = answer(200, { data: null, ...errors('NOT_FOUND') })
  expect((await answers.read(sent(), { '200 NOT_FOUND': 'refused' })).verdict).toBe('refused')
  expect(answers.wrong).toEqual([])
  expect((await answers.read(sent())).verdict).toBe('unknown')
  expect(answers.wrong.length).toBe(1)
})
