import type { DocumentNode } from 'graphql'
import { BODY_OF_A_POINT, COST_OF_A_POINT, STORED_BYTES_OF_A_POINT, TOKENS_OF_A_POINT } from './limits.ts'

/** What an operation takes from the rate limit beyond the one point of its request. */
export const pointsForCost = (cost: number) => Math.max(0, Math.ceil(cost / COST_OF_A_POINT) - 1)

/** The same for a document that is not cached and has to be checked. */
export const pointsForDocument = ({ tokenCount = 0 }: DocumentNode) => Math.floor(tokenCount / TOKENS_OF_A_POINT)

/** The same for the body of a request, which has to be parsed before anything is known about it. */
export const pointsForBody = (body: string | null) => Math.floor((body?.length ?? 0) / BODY_OF_A_POINT)

/** What a message to `/mcp` takes, its request included. */
export const POINTS_OF_A_MESSAGE = 5

/** The same for what it has stored: in the audit log, and as an answer to be repeated. */
export const pointsForStored = (bytes: number) => Math.floor(bytes / STORED_BYTES_OF_A_POINT)
