import { expect, it } from 'vitest'
import { acceptedType, graphqlType } from './media-type.ts'

const GRAPHQL = 'application/graphql-response+json'
const JSON_NAME = 'application/json'

it.each([
  [undefined, JSON_NAME],
  ['', JSON_NAME],
  ['*/*', JSON_NAME],
  ['application/*', JSON_NAME],
  [JSON_NAME, JSON_NAME],
  ['application/json; charset=utf-8', JSON_NAME],
  ['application/json; charset="UTF-8"', JSON_NAME],
  [GRAPHQL, GRAPHQL],
  [`${GRAPHQL}; charset=utf-8`, GRAPHQL],
  ['Application/GraphQL-Response+JSON', GRAPHQL],
  [`text/html, ${GRAPHQL}`, GRAPHQL],
  ['text/html, */*', JSON_NAME],
  ['text/html', undefined],
  ['application/json; charset=iso-8859-1', undefined],
  // where weights are equal, the first
  [`${GRAPHQL}, application/json`, GRAPHQL],
  [`application/json, ${GRAPHQL}`, JSON_NAME],
  [`*/*, ${GRAPHQL}`, JSON_NAME],
  [`${GRAPHQL}, */*`, GRAPHQL],
  ['application/json, text/plain, */*', JSON_NAME],
  // weights
  [`${GRAPHQL},application/json;q=0.9`, GRAPHQL],
  [`application/json;q=0.9, ${GRAPHQL}`, GRAPHQL],
  [`${GRAPHQL};q=0.5, application/json`, JSON_NAME],
  [`application/json ; Q=0.2 , ${GRAPHQL} ; q=0.3`, GRAPHQL],
  [`*/*;q=0.1, ${GRAPHQL};q=0.2`, GRAPHQL],
  [`${GRAPHQL};q=0.2, */*`, JSON_NAME],
  ['application/json;q=0.1, */*', JSON_NAME],
  // what comes after the first twenty is not read
  [`${'a/b,'.repeat(19)}${GRAPHQL}`, GRAPHQL],
  [`${'a/b,'.repeat(20)}${GRAPHQL}`, undefined],
  [`application/json${';a'.repeat(20)};q=0`, JSON_NAME],
  // refused
  [`${GRAPHQL};q=0, application/json`, JSON_NAME],
  [`application/json;q=0, ${GRAPHQL}`, GRAPHQL],
  [`${GRAPHQL};q=0`, undefined],
  ['application/json;q=0', undefined],
  ['application/json;q=0, */*', GRAPHQL],
  ['application/*;q=0, */*', undefined],
  ['*/*;q=0', undefined],
  ['*/*;q=0.000', undefined],
  ['application/json, */*;q=0', JSON_NAME],
  ['application/json;q=x', undefined],
])('Accept %s: %s', (accept, type) => {
  expect(acceptedType(accept)).toBe(type)
})

it('a refusal has a type also for clients that accept none', () => {
  expect(graphqlType('text/html')).toBe('application/json; charset=utf-8')
  expect(graphqlType('APPLICATION/GRAPHQL-RESPONSE+JSON')).toBe(`${GRAPHQL}; charset=utf-8`)
})
