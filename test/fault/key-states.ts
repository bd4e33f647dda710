/** What of a key is changed here, and what it then allows. */
export interface KeyState {
  isPaused: boolean
  isReadOnly: boolean
  isElsewhere: boolean
  allows(kind: 'read' | 'write'): boolean
  /** Whether a refusal in these words is one of a key in this state. */
  explains(words: string): boolean
}

const stateOf = (state: Pick<KeyState, 'isPaused' | 'isReadOnly' | 'isElsewhere'>): KeyState => {
  const { isPaused, isReadOnly, isElsewhere } = state
  return {
    ...state,
    allows: (kind) => !isPaused && !isElsewhere && (kind === 'read' || !isReadOnly),
    explains(words) {
      if (words.includes('API_KEY_PAUSED')) return isPaused
      return words === '200 FORBIDDEN' ? isReadOnly || isElsewhere : isElsewhere
    },
  }
}

export const NEW_KEY = stateOf({ isPaused: false, isReadOnly: false, isElsewhere: false })

/** How a key that is paused or narrowed refuses a call: at once, or by the transaction, which asks again. */
export const REFUSALS = {
  '403 API_KEY_PAUSED': 'refused',
  '200 API_KEY_PAUSED': 'refused',
  '403 FORBIDDEN': 'refused',
  '200 FORBIDDEN': 'refused',
} as const

/** A change of a key that leads to the same state whatever was before in its part. */
export interface Planned {
  query: string
  next(before: KeyState): KeyState
  /** It ends by itself, after so long, in this state. */
  ends?: { afterMs: number; next(before: KeyState): KeyState }
}

const PAUSED_FOR_SECONDS = 1
const pausing = (args: string): string => `mutation ($id: ID!) { pauseApiKey(id: $id${args}) { id } }`
const updating = (input: string): string => `mutation ($id: ID!) { updateApiKey(id: $id, input: { ${input} }) { id } }`

const paused = (before: KeyState) => stateOf({ ...before, isPaused: true })
const resumed = (before: KeyState) => stateOf({ ...before, isPaused: false })
const PAUSE: Planned = { query: pausing(''), next: paused }
const PAUSE_FOR_A_WHILE: Planned = {
  query: pausing(`, seconds: ${PAUSED_FOR_SECONDS}`),
  next: paused,
  ends: { afterMs: PAUSED_FOR_SECONDS * 1000, next: resumed },
}
const RESUME: Planned = { query: 'mutation ($id: ID!) { resumeApiKey(id: $id) { id } }', next: resumed }
const NARROW: Planned = {
  query: updating('access: READ_ONLY'),
  next: (before) => stateOf({ ...before, isReadOnly: true }),
}
const WIDEN: Planned = { query: updating('access: ADMIN'), next: (before) => stateOf({ ...before, isReadOnly: false }) }
const MOVE_AWAY: Planned = {
  query: updating('allowedNetworks: ["10.0.0.0/8"]'),
  next: (before) => stateOf({ ...before, isElsewhere: true }),
}
const MOVE_BACK: Planned = {
  query: updating('allowedNetworks: null'),
  next: (before) => stateOf({ ...before, isElsewhere: false }),
}

/** What gives access back is as frequent as what takes it, so that keys are in every state. */
export const CHANGES: readonly Planned[] = [
  PAUSE,
  PAUSE_FOR_A_WHILE,
  RESUME,
  RESUME,
  RESUME,
  NARROW,
  WIDEN,
  WIDEN,
  MOVE_AWAY,
  MOVE_BACK,
  MOVE_BACK,
]
