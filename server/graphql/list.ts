import type { ArgBuilder, ObjectRef } from '@pothos/core'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page } from '../lib/page.ts'
import { builder, type Types } from './builder.ts'

const PageInfoType = builder.objectRef<Page<unknown>['pageInfo']>('PageInfo').implement({
  description: 'Where a page ends, and whether another follows.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage'),
    endCursor: t.string({
      nullable: true,
      description: 'Give it as `after` to go on.',
      resolve: (pageInfo) => pageInfo.endCursor(),
    }),
  }),
})

/** The list of a type, in the one shape that every list has (C3). */
export function listType<Item>(name: string, item: ObjectRef<Types, Item>) {
  return builder.objectRef<Page<Item>>(name).implement({
    fields: (t) => ({
      data: t.field({ type: [item], resolve: (page) => page.data }),
      pageInfo: t.field({ type: PageInfoType, resolve: (page) => page.pageInfo }),
      totalCount: t.int({ description: 'Counted only when asked for.', resolve: (page) => page.totalCount() }),
    }),
  })
}

/** `first` and `after`, as every list takes them. */
export const pageArgs = (t: ArgBuilder<Types>) => ({
  first: t.int({ defaultValue: DEFAULT_PAGE_SIZE, description: `At most ${MAX_PAGE_SIZE}.` }),
  after: t.string({ description: 'An `endCursor` of this list.' }),
})
