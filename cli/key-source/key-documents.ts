import { KEY_FIELDS } from './shown-key.ts'

const USAGE_COUNTS = '{ value calls }'
const PAGE_INFO = 'pageInfo { hasNextPage endCursor }'

export const ORGANIZATION = '{ organization { name slug apiKeysHeldSince } }'

export const LIST = `query ($first: Int!, $after: String, $filter: ApiKeyFilter) {
  apiKeys(first: $first, after: $after, filter: $filter) { data { ${KEY_FIELDS} } ${PAGE_INFO} } }`

export const FIND = `query ($id: ID!) { apiKey(id: $id) { ${KEY_FIELDS} } }`

export const RECENT_USAGE = `query ($id: ID!) { apiKey(id: $id) { recentUsage {
  calls errors addresses ${USAGE_COUNTS} otherAddressCalls userAgents ${USAGE_COUNTS} otherUserAgentCalls
  operations ${USAGE_COUNTS} otherOperationCalls } } }`

export const USAGE_BY_DAY = 'query ($id: ID!) { apiKey(id: $id) { usage(by: DAY) { at calls errors } } }'

export const DESCENDANTS = `query ($id: ID!, $first: Int!, $after: String) { apiKey(id: $id) {
  descendants(first: $first, after: $after) { data { id label parentId lastUsedAt expired } ${PAGE_INFO} } } }`

export const POLICY = `query ($id: ID!) { apiKey(id: $id) { policy {
  maxKeys maxLifetimeDays expiryRequired labelRequired allowedNetworks allowKeyManagement rejectBrowsers } } }`

export const REFUSED_WHILE_PAUSED = `query ($id: ID!) { apiKey(id: $id) { refusedWhilePaused {
  calls lastAt addresses ${USAGE_COUNTS} otherAddressCalls userAgents ${USAGE_COUNTS} otherUserAgentCalls } } }`

export const INVITED = `query ($id: ID!, $first: Int!, $includeDescendants: Boolean) { apiKey(id: $id) {
  invitedUsers(first: $first, includeDescendants: $includeDescendants) {
    data { name email role invited } ${PAGE_INFO} } } }`

export const GENERATE = `mutation ($input: GenerateApiKeyInput) {
  generateApiKey(input: $input) { secret apiKey { ${KEY_FIELDS} } } }`

export const ROTATE = `mutation ($id: ID!, $overlapSeconds: Int, $expiresAt: DateTime) {
  rotateApiKey(id: $id, overlapSeconds: $overlapSeconds, expiresAt: $expiresAt) {
    secret durable apiKey { ${KEY_FIELDS} } } }`

export const UPDATE = `mutation ($id: ID!, $input: UpdateApiKeyInput!) {
  updateApiKey(id: $id, input: $input) { ${KEY_FIELDS} } }`

export const PAUSE = `mutation ($id: ID!, $seconds: Int) { pauseApiKey(id: $id, seconds: $seconds) { ${KEY_FIELDS} } }`

export const RESUME = `mutation ($id: ID!) { resumeApiKey(id: $id) { ${KEY_FIELDS} } }`

export const REVOKE = `mutation ($id: ID!, $reason: String) {
  revokeApiKey(id: $id, reason: $reason) { ids revokedAt durable } }`

export const REVOKE_MANY = `mutation ($input: RevokeApiKeysInput!, $reason: String) {
  revokeApiKeys(input: $input, reason: $reason) { ids revokedAt durable } }`

export const REPORT_LEAKED = `mutation ($secret: String!, $url: String) { reportLeakedApiKey(secret: $secret, url: $url) {
  revoked durable descendantCount apiKey { id label } canaryApiKey { id label } } }`

export const CANARIES = `{ canaryApiKeys {
  id label prefix createdAt calls lastUsedAt lastUsedIp lastUsedUserAgent leakedAt } }`

export const GENERATE_CANARY = `mutation ($label: String!) {
  generateCanaryApiKey(label: $label) { secret canaryApiKey { id label } } }`

export const DELETE_CANARY = 'mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }'

export const CHANGES = `query ($id: ID!, $since: DateTime, $first: Int!, $after: String) {
  apiKeyChanges(id: $id, since: $since, first: $first, after: $after) { keyCount isComplete
    data { id at action actor { kind id name } subject subjectType subjectId details
      changes { field before after } ip } ${PAGE_INFO} } }`
