/** What the clients of a run know of the calls with one key. */
export interface KeyCalls {
  answered: number
  /** Sent, and never answered: nobody can say whether it was counted. */
  uncertain: number
  /** Answered by a process shortly before it was killed. */
  atRisk: number
}

/** Keeps what was answered, by whom and when, so that after a kill it is known what may be lost: what it answered in this time before. */
export function createCallLedger<By>(keys: readonly string[], atRiskMs: number) {
  const calls = new Map<string, KeyCalls>(keys.map((key) => [key, { answered: 0, uncertain: 0, atRisk: 0 }]))
  let recent: { key: string; by: By; at: number }[] = []

  const of = (key: string): KeyCalls => {
    const found = calls.get(key)
    if (!found) throw new Error('A key that is not in the ledger.')
    return found
  }
  return {
    of,
    answered(key: string, by: By): void {
      of(key).answered++
      recent.push({ key, by, at: performance.now() })
    },
    uncertain(key: string): void {
      of(key).uncertain++
    },
    /** What it answered lately may not have reached the database. */
    killed(process: By, at: number, from = at - atRiskMs): void {
      for (const { key, by, at: answeredAt } of recent) if (by === process && answeredAt >= from) of(key).atRisk++
      recent = recent.filter(({ by, at: answeredAt }) => by !== process && answeredAt >= from)
    },
    total: (count: keyof KeyCalls) => [...calls.values()].reduce((sum, each) => sum + each[count], 0),
  }
}

/** Why a number in the database cannot be right; undefined when it can. */
export function wrongCount(counted: number, { answered, uncertain, atRisk }: KeyCalls): string | undefined {
  if (counted > answered + uncertain)
    return `${counted} calls are counted of ${answered} answered and ${uncertain} uncertain`
  if (counted < answered - atRisk) return `${counted} calls are counted of ${answered} answered, ${atRisk} at risk`
  return undefined
}

/** The calls that the database has counted, whatever hours and days they stand in. */
export const CALLS_OF_ORGANIZATIONS = `
  select "organizationId", sum("calls") as "calls" from "apiKey" join (
    select "keyId", "calls" from "apiKeyUsage" union all select "keyId", "calls" from "apiKeyUsageDay"
  ) as "counted" on "keyId" = "id" group by "organizationId"`

export interface CountedRow {
  organizationId: string
  calls: string | number
}

/** By organization. */
export const countedIn = (rows: readonly CountedRow[]): Map<string, number> =>
  new Map(rows.map(({ organizationId, calls }) => [organizationId, Number(calls)]))
