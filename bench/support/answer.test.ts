import { expect, it } from 'vitest'
import { createAnswerCheck } from './answer.ts'

const EXACT = { status: 200, body: '{"data":1}', exact: true }
const answer = (status: string, body: string, headers = `Content-Length: ${body.length}`) =>
  Buffer.from(`HTTP/1.1 ${status}\r\nDate: now\r\n${headers}\r\n\r\n${body}`)

it('a response is complete with its last byte, wherever it is split', () => {
  const isBodyBuffered = createAnswerCheck(EXACT)
  const bytes = answer('200 OK', EXACT.body)
  for (let end = 0; end < bytes.length; end++) expect(isBodyBuffered(bytes.subarray(0, end))).toBeUndefined()
  expect(isBodyBuffered(bytes)).toBe(true)
})

it('a chunked response counts as the same response', () => {
  const isBodyBuffered = createAnswerCheck(EXACT)
  const bytes = answer('200 OK', '4\r\n{"da\r\n6\r\nta":1}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked')
  expect(isBodyBuffered(bytes.subarray(0, -1))).toBeUndefined()
  expect(isBodyBuffered(bytes)).toBe(true)
})

it.each([
  ['another status', answer('503 Service Unavailable', EXACT.body)],
  ['another body', answer('200 OK', '{"data":2}')],
  ['a longer body', answer('200 OK', `${EXACT.body} `)],
])('%s is a wrong answer', (_name, bytes) => {
  expect(() => createAnswerCheck(EXACT)(bytes)).toThrow('A wrong answer')
})

it('a response that need not match exactly must still begin as expected', () => {
  const isBodyBuffered = createAnswerCheck({ status: 401, body: '{"errors":', exact: false })
  expect(isBodyBuffered(answer('401 Unauthorized', '{"errors":[1]}'))).toBe(true)
  expect(() => isBodyBuffered(answer('401 Unauthorized', '{"data":[1]}'))).toThrow('A wrong answer')
})
