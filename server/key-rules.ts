import { LRUCache } from 'lru-cache'
import { createNetworks, type Networks } from './lib/network.ts'

const MAX_KNOWN = 1_000

/** As they stand in the row of a key. What is absent is not asked for. */
export interface StoredRules {
  networks?: readonly string[] | undefined
  noBrowser?: boolean | undefined
  noKeys?: boolean | undefined
  /** It waits for a label. */
  unlabelled?: boolean | undefined
}

/** What a key is held to: when it calls, and inside of every transaction in which it writes. */
export interface KeyRules {
  networks: Networks | undefined
  refusesBrowsers: boolean
  managesKeys: boolean
  needsLabel: boolean
}

const NONE: KeyRules = rulesFrom({})

/** By their text, which says nothing of any key: the row that holds it is read anew for every request. */
const known = new LRUCache<string, KeyRules>({ max: MAX_KNOWN, memoMethod: (text) => rulesFrom(readRules(text)) })

export function keyRules(text: string | null): KeyRules {
  return text === null ? NONE : known.memo(text)
}

export function readRules(text: string | null): StoredRules {
  return text === null ? {} : (JSON.parse(text) as StoredRules) // only writeRules puts it there
}

/** The same rules give the same text. */
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
