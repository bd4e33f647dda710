import type { GraphqlCall } from './call.ts'

const FOUR_TAGS = '["gateway", "lte", "hall", "north"]'
const times = (count: number, part: (i: number) => string) => Array.from({ length: count }, (_, i) => part(i)).join(' ')

/** Documents that have once held up everybody, each by a cause of its own, and as many of each as the limits allow today. */
export const SEEN: readonly GraphqlCall[] = [
  { query: '{ viewer { apiKey { descendants(first: 500) { data { id label parentId } totalCount } } } }' },
  { query: '{ apiKeys(first: 40) { data { descendants(first: 100) { data { label parentId } } } } }' },
  {
    query: `{ ${times(4, (i) => `a${i}: devices(first: 80, filter: { tags: ${FOUR_TAGS} }) { data { id } totalCount }`)} }`,
  },
  {
    query: `{ ${times(4, (i) => `a${i}: devices(first: 1, filter: { status: ONLINE, enabled: false }) { totalCount }`)} }`,
  },
  { query: `{ ${times(4, (i) => `a${i}: users(first: 1, search: "zz${i}") { totalCount data { id } }`)} }` },
  {
    query: `{ ${times(4, (i) => `a${i}: auditEvents(first: 1, filter: { action: OTHER, since: "2001-01-0${1 + i}T00:00:00Z" }) { totalCount }`)} }`,
  },
  { query: `{ ${times(9, (i) => `a${i}: devices(first: 500) { data { id name tags location { name } } }`)} }` },
  {
    query: `{ ${times(20, (i) => `a${i}: devices(first: 100, filter: { tags: ${FOUR_TAGS} }) { data { id } totalCount }`)} }`,
  },
  { query: `{ ${times(20, (i) => `a${i}: devices(first: 1, filter: { status: ONLINE }) { totalCount }`)} }` },
  { query: `{ ${times(20, (i) => `a${i}: users(first: 1, search: "zz${i}") { totalCount data { id } }`)} }` },
  {
    query: `{ ${times(20, (i) => `a${i}: auditEvents(first: 1, filter: { since: "2001-01-0${1 + (i % 9)}T00:00:00Z" }) { totalCount }`)} }`,
  },
  { query: `query run { __typename } ${times(398, (i) => `query o${i}{__typename}`)}`, operationName: 'run' },
  { query: '{ auditEvents(filter: { since: "1969-12-31T23:59:59Z" }) { totalCount } }' },
]
