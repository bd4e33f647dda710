import type { ArgBuilder, ObjectRef } from '@pothos/core'
import { EVERY_ACCESS, type NarrowedAccess } from '../caller/key-rules.ts'
import { DEFAULT_PAGE_SIZE, MAX_CURSOR_LENGTH, MAX_PAGE_SIZE, type Page } from '../lib/page.ts'
import { builder, type Types } from './builder.ts'
import { COST_OF_COUNT } from './cost.ts'
import { describedEnum } from './described-enum.ts'
import { range, text } from './domain.ts'
import type { Exposing } from './plain-fields.ts'

const PageInfoType = builder.objectRef<Page<unknown>['pageInfo']>('PageInfo').implement({
  description: 'Where a page ends, and whether another follows.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { access: EVERY_ACCESS, description: 'Whether another page follows.' }),
    endCursor: t.string({
      access: EVERY_ACCESS,
      nullable: true,
      description: 'Give it as `after` to get the next page. Null when this page is empty.',
      resolve: (pageInfo) => pageInfo.endCursor(),
    }),
  }),
})

/** The list of a type, in the one shape that every list has (C3); `items` is the plural noun for descriptions, `access` that of its fields. */
export function listType<Item, List extends Page<Item> = Page<Item>>(
  name: string,
  item: ObjectRef<Types, Item>,
  items: string,
  access: readonly NarrowedAccess[] = ['READ_ONLY'],
) {
  return builder.objectRef<List>(name).implement({
    description: `One page of a list of ${items}.`,
    fields: (t) => ({
      data: (t as unknown as Exposing).expose('data', {
        access,
        cost: { isPage: true },
        type: [item],
        description: `The ${items} of this page.`,
      }),
      pageInfo: (t as unknown as Exposing).expose('pageInfo', {
        access,
        type: PageInfoType,
        description: 'Whether another page follows, and how to get it.',
      }),
      totalCount: t.int({
        access,
        cost: { own: COST_OF_COUNT },
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

export const SortDirectionType = describedEnum('SortDirection', 'Whether the least or the most comes first.', {
  ASC: 'The least, the oldest, or A first.',
  DESC: 'The most, the newest, or Z first.',
})
