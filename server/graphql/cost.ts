import type { DocumentNode } from 'graphql'
import { STORED_BYTES_OF_A_POINT, TOKENS_OF_A_POINT } from './operation-limits.ts'

/** What a field reads beside the objects that it returns. Declared where the field is defined; `measure.ts` adds it up. */
export interface FieldCost {
  /** Cost of the field itself, each time it is requested; an object costs 1 without a declaration. */
  own?: number
  /** The maximum number of entries of a list without pages. */
  maxItems?: number
  /** What one entry costs where it is less than an object. */
  weight?: number
  /** Whether it holds the entries of a page: as many as the `first` of the list around it. */
  isPage?: boolean
  /** What each entry of its argument `inputs` costs. Then the page inside it has as many entries as there are inputs. */
  costOfInput?: number
}

/** A list that is searched or filtered, or gathered from many keys, may have to be read completely to fill a page. */
export const COST_OF_SEARCH = 500

/** Counting reads a whole list. */
export const COST_OF_COUNT = 500

/** A transaction with its entry in the audit log. */
export const COST_OF_MUTATION = 100

/** An item of a mutation for many: its share of the transaction, and its entry in the audit log. */
export const COST_OF_ITEM = 5

/** An event that is delivered to one webhook. */
export const COST_OF_DELIVERY = 1

/** An object costs 1 for this many of its fields, 2 for twice as many. */
export const FIELDS_OF_AN_OBJECT = 15

/** What a document that is not cached takes, since it has to be checked. */
export const pointsForDocument = ({ tokenCount = 0 }: DocumentNode) => Math.floor(tokenCount / TOKENS_OF_A_POINT)

/** What a message to `/mcp` takes, its request included. */
export const POINTS_OF_A_MESSAGE = 5

/** What an operation takes for what it has stored: in the audit log, and as an answer to be repeated. */
export const pointsForStored = (bytes: number) => Math.floor(bytes / STORED_BYTES_OF_A_POINT)
