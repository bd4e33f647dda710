import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../caller/deps.ts'
import { isDoctorProof, isProofShaped, PROOF_HEADER } from './doctor-proof.ts'

/** Where `portal doctor` asks. */
export const SEEN_HEADERS_PATH = '/health/headers'

/** How a request looks after all proxies. */
export interface SeenHeaders {
  /** The address of the caller, as it counts for limits and networks. */
  address: string
  /** The address of the connection: of the nearest proxy, if there is one. */
  connection: string
  forwardedFor: string | null
  forwardedProto: string | null
  hasApiSecret: boolean
}

/** Answers `portal doctor` alone, which proves that it can read the database; for everybody else there is nothing. */
export function seenHeaders({ database, now }: Deps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(SEEN_HEADERS_PATH, async (request, reply) => {
      const proof = request.headers[PROOF_HEADER]
      if (!isProofShaped(proof)) return reply.callNotFound()
      const { installation } = await database.read
        .selectFrom('revocationState')
        .select('installation')
        .executeTakeFirstOrThrow()
      return isDoctorProof(proof, installation, now()) ? seenIn(request) : reply.callNotFound()
    })
  }
}

const seenIn = ({ headers, ip, socket }: FastifyRequest): SeenHeaders => ({
  address: ip,
  connection: socket.remoteAddress ?? '',
  forwardedFor: joined(headers['x-forwarded-for']),
  forwardedProto: joined(headers['x-forwarded-proto']),
  hasApiSecret: headers['api-secret'] !== undefined,
})

const joined = (value: string | string[] | undefined) => (value === undefined ? null : [value].flat().join(', '))
