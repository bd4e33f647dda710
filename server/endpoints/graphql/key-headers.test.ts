import { expect, it } from 'vitest'
import { missingKey, unknownSecret } from './key-headers.ts'

const KEY = `emp_${'a'.repeat(49)}`

it.each([
  ['Authorization', { headers: { authorization: `Bearer ${KEY}` } }],
  ['Authorization', { headers: { authorization: `Basic ${btoa(`:${KEY}`)}` } }],
  ['Authorization', { headers: { authorization: `ApiKey ${KEY}` } }],
  ['x-api-key', { headers: { 'x-api-key': KEY } }],
  ['x-api-secret', { headers: { 'x-api-secret': KEY } }],
  ['api-key', { headers: { 'api-key': KEY } }],
  ['api_secret', { headers: { api_secret: KEY } }],
  ['x-access-token', { headers: { 'x-access-token': KEY } }],
  ['x-api-token', { headers: { 'x-api-token': KEY } }],
  ['api-token', { headers: { 'api-token': KEY } }],
  ['token', { headers: { token: KEY } }],
  ['the address, which others log', { headers: {}, url: `/graphql?key=${KEY}` }],
  ['the address, which others log', { headers: {}, url: `/graphql?api_token=${KEY}` }],
  ['the address, which others log', { headers: {}, url: `/graphql?api-secret=${KEY}` }],
  ['the address, which others log', { headers: {}, url: `/graphql?query={viewer{role}}&api_key=${KEY}` }],
  ['a cookie', { headers: { cookie: `theme=dark; api-secret=${KEY}` } }],
])('a key in %s is refused with words that name the right header, and never repeat the key', (where, request) => {
  const { code, message } = missingKey(request)
  expect([code, message]).toEqual(['UNAUTHENTICATED', `Send the API key in the api-secret header, not in ${where}.`])
})

it.each([{}, { cookie: '__Host-session=ems_x' }])('without a key anywhere it says what to send: %j', (headers) => {
  expect(missingKey({ headers, url: '/graphql?query={apiKeys{data{id}}}' }).message).toBe(
    'Send an API key in the api-secret header.',
  )
})

it.each([`Bearer ${KEY}`, `bearer ${KEY}`, `ApiKey ${KEY}`, `Token ${KEY}`, `"${KEY}"`, `'${KEY}'`, 'Bearer x'])(
  'a secret with something around it is to be sent alone: %s',
  (secret) => {
    const { code, message } = unknownSecret(secret)
    expect([code, message]).toEqual([
      'API_KEY_INVALID',
      'Send the secret alone in the api-secret header: no Bearer, no quotes.',
    ])
  },
)

it.each([KEY, 'hunter2', 'bearer', 'emp_ x'])('any other is not accepted: %s', (secret) => {
  expect(unknownSecret(secret).message).toContain('mistyped, revoked or never existed')
})
