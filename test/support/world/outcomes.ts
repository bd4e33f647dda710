/** How an operation is answered: by whom it is called decides. */
export type Outcome = 'ok' | 'FORBIDDEN' | 'NOT_FOUND' | 'BAD_USER_INPUT'

export const read = { admin: 'ok', member: 'ok', key: 'ok', foreign: 'ok', support: 'ok' } as const
export const adminOnly = { admin: 'ok', member: 'FORBIDDEN', key: 'ok', foreign: 'ok', support: 'ok' } as const
export const personOnly = { admin: 'ok', member: 'ok', key: 'FORBIDDEN', foreign: 'FORBIDDEN', support: 'ok' } as const
export const supportOnly = {
  admin: 'FORBIDDEN',
  member: 'FORBIDDEN',
  key: 'FORBIDDEN',
  foreign: 'FORBIDDEN',
  support: 'ok',
} as const
export const adminById = { ...adminOnly, foreign: 'NOT_FOUND', support: 'NOT_FOUND' } as const
