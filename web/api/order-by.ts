/** What a list is sorted by, as in the URL; with a minus: the last first. */
export type Sort<By extends string> = By | `-${By}`

/** The order of the URL as the API wants it. */
export const orderBy = <By extends string, Field>(fields: Record<By, Field>, sort: Sort<By> | undefined) =>
  sort === undefined
    ? null
    : ({ field: fields[sort.replace('-', '') as By], direction: sort.startsWith('-') ? 'DESC' : 'ASC' } as const) // by the type of sort
