import type { RequestCtx } from '../../server/graphql/builder.ts'
import { createLog } from '../../server/lib/log.ts'
import { emailEncryptionOf } from '../../server/mail/encrypted-links.ts'
import { portalSecretOf } from '../../server/mail/secret-file.ts'
import type { OrganizationContext } from '../organization-context.ts'
import type { Portal } from '../portal.ts'
import type { Api, Result, ResultError } from './graphql-api.ts'

const HEADERS = { 'content-type': 'application/json' }

/** The API of each organization in the database of this machine: as the operator (C9). */
export async function localApis({ config }: Portal): Promise<(organization: OrganizationContext) => Api> {
  const [{ schema }, { createGraphql }] = await Promise.all([
    import('../../server/endpoints/schema.ts'), // only here: other commands need none of it
    import('../../server/endpoints/graphql/answer.ts'),
  ])
  let reason = '' // the last bug: answers do not say it, but whoever runs this machine may see it
  const write = (line: string) => {
    reason = JSON.parse(line).err?.message ?? reason
  }
  const log = createLog('error', { write })
  const { answer } = createGraphql(schema, log, () => portalSecretOf(config))

  return ({ ctx }) => ({
    async request({ query, variables, operationName }) {
      const body = JSON.stringify({ query, variables, operationName })
      const requestCtx: RequestCtx = {
        ...ctx,
        requestId: 'command-line',
        originConfig: config,
        cost: 0,
        operation: undefined,
        rateLimit: undefined,
        emailEncryption: emailEncryptionOf(config),
        sendsMail: config.smtp !== undefined,
      }
      const answered = await answer({ method: 'POST', url: '/graphql', headers: HEADERS, body }, requestCtx)
      const result: Result = JSON.parse(String(answered.body))
      if (!result.errors) return result
      const withReason = (error: ResultError) => ({ ...error, message: `Something went wrong: ${reason}` })
      return {
        ...result,
        errors: result.errors.map((each) => (each.extensions?.['code'] === 'INTERNAL' ? withReason(each) : each)),
      }
    },
  })
}
