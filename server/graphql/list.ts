import type { ArgBuilder, ObjectRef } from '@pothos/core'
import { DEFAULT_PAGE_SIZE, MAX_CURSOR_LENGTH, MAX_PAGE_SIZE, type Page } from '../lib/page.ts'
import { builder, type Types } from './builder.ts'
import { COST_OF_COUNT, costs } from './cost.ts'
import { range, text } from './domain.ts'

const PageInfoType = builder.objectRef<Page<unknown>['pageInfo']>('PageInfo').implement({
  description: 'Where a page ends, and whether another follows.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether another page follows.' }),
    endCursor: t.string({
      nullable: true,
      description: 'Give it as `after` to get the next page. Null when this page is empty.',
      resolve: (pageInfo) => pageInfo.endCursor(),
    }),
  }),
})

/** The list of a type, in the one shape that every list has (C3); `items` is the plural noun for descriptions. */
export function listType<Item, List extends Page<Item> = Page<Item>>(
  name: string,
  item: ObjectRef<Types, Item>,
  items: string,
) {
  return builder.objectRef<List>(name).implement({
    description: `One page of a list of ${items}.`,
    fields: (t) => ({
      data: t.field({
        ...costs({ isPage: true }),
        type: [item],
        description: `The ${items} of this page.`,
        resolve: (page) => page.data,
      }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'Whether another page follows, and how to get it.',
        resolve: (page) => page.pageInfo,
      }),
      totalCount: t.int({
        ...costs({ cost: COST_OF_COUNT }),
        description: `How many there are on all pages together. Counted only when requested, and costs ${COST_OF_COUNT}.`,
        resolve: (page) => page.totalCount(),
      }),
    }),
  })
}

/** The arguments `first` and `after` of every list. */
export const pageArgs = (t: ArgBuilder<Types>) => ({
  first: t.int({
    ...range(1, MAX_PAGE_SIZE),
    defaultValue: DEFAULT_PAGE_SIZE,
    description: `The size of the page, 1 to ${MAX_PAGE_SIZE}.`,
  }),
  after: t.string({
    ...text(MAX_CURSOR_LENGTH),
    description: 'An `endCursor` of this list: the page that follows it. Absent: the first page.',
  }),
})

export type SortDirection = 'ASC' | 'DESC'

/** The direction of every order that a caller can choose. */
export const SortDirectionType = builder.enumType('SortDirection', {
  description: 'Whether the least or the most comes first.',
  values: {
    ASC: { description: 'The least, the oldest, or A first.' },
    DESC: { description: 'The most, the newest, or Z first.' },
  } as const,
})
