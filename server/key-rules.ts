import { LRUCache } from 'lru-cache'
import { createNetworks, type Networks } from './lib/network.ts'

const MAX_KNOWN = 1_000

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
