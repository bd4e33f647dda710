import { badInput } from '../../server/lib/check.ts'
import type { Api, Operation, Result } from './graphql-api.ts'
import { takesCursor } from './sent-document.ts'

interface PageInfo {
  hasNextPage: boolean
  endCursor: string | null
}

/** The results of all pages of the list in a document that takes `$after`, each as soon as it is there. */
export async function* allPages(api: Api, operation: Operation): AsyncGenerator<Result> {
  if (!takesCursor(operation))
    throw badInput('paginate', '--paginate: the document must take $after: String, and pass it to a list.')
  for (let after: unknown = operation.variables?.['after']; ; ) {
    const result = await api.request({ ...operation, variables: { ...operation.variables, after } })
    yield result
    if (result.errors) return
    const page = pageInfoIn(result.data)
    if (!page) throw badInput('paginate', '--paginate: the document must ask for pageInfo { hasNextPage endCursor }.')
    if (!page.hasNextPage) return
    if (page.endCursor === after) throw badInput('paginate', '--paginate: the list does not take $after.')
    after = page.endCursor
  }
}

/** The first one, looking from the outside in. */
function pageInfoIn(data: unknown): PageInfo | undefined {
  const waiting = [data]
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue
    if ('pageInfo' in value && isPageInfo(value.pageInfo)) return value.pageInfo
    waiting.push(...Object.values(value))
  }
  return undefined
}

const isPageInfo = (value: unknown): value is PageInfo =>
  typeof value === 'object' && value !== null && 'hasNextPage' in value && 'endCursor' in value
