import type { DocumentNode } from 'graphql'
import { COST_OF_A_POINT, TOKENS_OF_A_POINT } from './limits.ts'

/** What an operation takes of the rate limit beyond the one point of its request. */
export const pointsForCost = (cost: number) => Math.max(0, Math.ceil(cost / COST_OF_A_POINT) - 1)

/** The same for a document that is new here and has to be checked. */
export const pointsForDocument = ({ tokenCount = 0 }: DocumentNode) => Math.floor(tokenCount / TOKENS_OF_A_POINT)
