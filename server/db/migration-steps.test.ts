import { describe, expect, it } from 'vitest'
import type { ColumnTypes } from './database.ts'
import { MIGRATIONS } from './migrate.ts'
import { indexOf, statementOf, stepsOf } from './migration-steps.ts'

const POSTGRES: ColumnTypes = { dialect: 'postgres', text: 'text', integer: 'bigint', bytes: 'bytea', tableOptions: '' }

/** Statements that take no longer the more rows there are. `create index` runs beside reads and writes. */
const QUICK = [
  /^create table "\w+" \(/,
  /^alter table "\w+" add column "\w+" \w+(?: references "apiKey" \("id"\) on delete cascade| not null default \d+)?$/,
  /^alter table "\w+" rename (?:column "\w+" )?to "\w+"$/,
  /^alter table "\w+" drop constraint "\w+"$/,
  /^insert into "\w+" values \(/,
]

/** Seen and found quick enough: few rows, or rows that nobody else uses yet. */
const KNOWN = [
  /^delete from "invitation"$/,
  /^update "organization" set "slug" = .* where "slug" in \('reset-password', 'verify-email'\)$/,
  /^update "organization" set "slug" = .* where "slug" = 'leaks'$/,
  /^update "organization" set "slug" = .* where "slug" in \('forgot-password', 'mcp'\)$/,
  /^insert into "deviceCount" select /,
  /^insert into "storedBytes" select .* where "id" >= '\w+' group by/, // one day, by primary key
]

describe('migrations on PostgreSQL', () => {
  it.each(MIGRATIONS.map((migration, i) => [i + 1, migration] as const))(
    '%i changes many rows in parts only',
    (_, migration) => {
      for (const step of stepsOf(migration, POSTGRES)) {
        if (typeof step !== 'string' || indexOf(step)) continue
        const statement = statementOf(step).replace(/\s+/g, ' ').trim()
        expect(
          [...QUICK, ...KNOWN].some((known) => known.test(statement)),
          statement,
        ).toBe(true)
      }
    },
  )
})
