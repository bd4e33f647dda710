import postgres, { type Sql } from 'postgres'

/** Plain SQL on one connection that is made for it and closed afterwards. */
export const askOnce =
  (url: string) =>
  async <Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined })
    try {
      return await work(sql)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
