import { sql } from 'kysely'
import type { Ctx } from '../caller/ctx.ts'
import { checkAnyText } from '../lib/check.ts'
import { MAX_TAG } from './device-input.ts'

/** So many tags are listed. */
export const MAX_TAGS_IN_USE = 20
/** The devices with a tag are counted up to this. */
export const MAX_COUNTED = 1000

export interface TagInUse {
  tag: string
  devices: number
}

/** The first tags in use that begin with a text, in the order of their characters, and how many devices have each. */
export async function tagsInUse({ reads, caller }: Ctx, search: string | null | undefined): Promise<TagInUse[]> {
  const begin = checkAnyText('search', search ?? '', { max: MAX_TAG })
  return (await firstTags(caller.organizationId, begin).execute(reads)).rows
}

/** Goes from one tag to the next by index, however many devices have it. In an order, PostgreSQL counts by index too. */
export const firstTags = (organizationId: string, begin: string) => sql<TagInUse>`
  with recursive "found" ("tag", "place") as (
    select min("tag"), 1 from "deviceTag"
    where "organizationId" = ${organizationId} and "tag" >= ${begin} and "tag" < ${`${begin}\u{10ffff}`}
    union all
    select (
      select min("next"."tag") from "deviceTag" as "next"
      where "next"."organizationId" = ${organizationId} and "next"."tag" > "found"."tag" and "next"."tag" < ${`${begin}\u{10ffff}`}
    ), "place" + 1 from "found" where "tag" is not null and "place" < ${sql.lit(MAX_TAGS_IN_USE)}
  )
  select "tag", (
    select count(*) from (
      select 1 from "deviceTag" as "tagged"
      where "tagged"."organizationId" = ${organizationId} and "tagged"."tag" = "found"."tag"
      order by "tagged"."nameKey" limit ${sql.lit(MAX_COUNTED)}
    ) as "counted"
  ) as "devices" from "found" where "tag" is not null order by "place"`
