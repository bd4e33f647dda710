import { Failure } from './lib/failure.ts'
import { createKept } from './lib/kept.ts'
import { createNetworks, type Networks } from './lib/network.ts'

const MOST_KEPT = 1_000

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
const kept = createKept<KeyRules>(MOST_KEPT)

export function keyRules(text: string | null): KeyRules {
  if (text === null) return NONE
  return kept.get(text) ?? kept.add(text, rulesFrom(readRules(text)))
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

/** What of a request the rules of its key are about. */
export interface CalledFrom {
  address: string
  /** The Origin header, which browsers send. */
  origin: string | undefined
}

/** Why a call with this key goes no further, in words that say what to do. */
export function refusalBy(
  { networks, refusesBrowsers, needsLabel }: KeyRules,
  { address, origin }: CalledFrom,
): Failure | undefined {
  if (networks && !networks.hold(address)) {
    return refused(
      'This API key is not accepted from this network. Ask an Admin to allow the address that you call from.',
    )
  }
  if (refusesBrowsers && origin !== undefined) {
    return refused(
      'This API key is not accepted from a browser: call from a server or a script, without an Origin header.',
    )
  }
  if (needsLabel) return refused('This API key needs a label before it is accepted again. Ask an Admin to rename it.')
  return undefined
}

const refused = (says: string) => new Failure('FORBIDDEN', { says })
