import { builder } from './builder.ts'

export type SortDirection = 'ASC' | 'DESC'

/** The direction of every order that a caller can choose. */
export const SortDirectionType = builder.enumType('SortDirection', {
  description: 'Whether the least or the most comes first.',
  values: {
    ASC: { description: 'The least, the oldest, or A first.' },
    DESC: { description: 'The most, the newest, or Z first.' },
  } as const,
})
