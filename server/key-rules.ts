import { LRUCache } from 'lru-cache'
import { AppError } from './lib/app-error.ts'
import { createNetworks, type Networks } from './lib/network.ts'

const MAX_KNOWN = 1_000

/**
 * The version of the rules below, which the row of a key with such rules names. A new kind of rule gets the next number,
 * and keys that have it name that one: a process that does not know it refuses them rather than ignores the rule.
 */
export const RULES_VERSION = 1

const UNKNOWN_RULES = new AppError('UNAVAILABLE', {
  message:
    'This API key has restrictions that this process of the portal does not know: the portal is being upgraded. Try again in a moment.',
  retryAfterSeconds: 1,
})

/** The rules as stored in the row of a key; an absent one does not apply. */
export interface StoredRules {
  networks?: readonly string[] | undefined
  noBrowser?: boolean | undefined
  noKeys?: boolean | undefined
  /** The key is refused until it has a label. */
  unlabelled?: boolean | undefined
}

/** The restrictions of a key, checked on every call and inside every transaction in which it writes. */
export interface KeyRules {
  networks: Networks | undefined
  refusesBrowsers: boolean
  managesKeys: boolean
  needsLabel: boolean
}

const NONE: KeyRules = rulesFrom({})

/** Parsed rules by their text. The text contains nothing about any key, and the row is read again for every request. */
const known = new LRUCache<string, KeyRules>({ max: MAX_KNOWN, memoMethod: (text) => rulesFrom(readRules(text)) })

/** Before rules are read, or written again without those that this process does not know. */
export function requireKnownRules({ rulesVersion }: { rulesVersion: number }): void {
  if (rulesVersion > RULES_VERSION) throw UNKNOWN_RULES
}

export function keyRules(text: string | null): KeyRules {
  return text === null ? NONE : known.memo(text)
}

export function readRules(text: string | null): StoredRules {
  return text === null ? {} : (JSON.parse(text) as StoredRules) // only writeRules writes it
}

/** Equal rules give equal text. */
export function writeRules({ networks = [], noBrowser, noKeys, unlabelled }: StoredRules): string | null {
  const rules: StoredRules = {
    ...(networks.length > 0 && { networks }),
    ...(noBrowser && { noBrowser }),
    ...(noKeys && { noKeys }),
    ...(unlabelled && { unlabelled }),
  }
  return Object.keys(rules).length === 0 ? null : JSON.stringify(rules)
}

export const rulesOnceLabelled = (text: string | null) => writeRules({ ...readRules(text), unlabelled: false })

function rulesFrom({ networks, noBrowser, noKeys, unlabelled }: StoredRules): KeyRules {
  return {
    networks: networks && createNetworks(networks),
    refusesBrowsers: noBrowser === true,
    managesKeys: noKeys !== true,
    needsLabel: unlabelled === true,
  }
}
