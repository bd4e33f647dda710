import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { type ApiNotes, apiNotesIn } from './changelog.ts'
import { type Deprecation, deprecationsIn } from './deprecations.ts'

const MONTHS_OF_NOTICE = 6

interface Compared {
  /** The schema of the last release, as SDL. */
  released: string
  current: string
  changelog: string
  /** The version of the portal: before 1.0 a breaking change needs a line in the changelog, then a deprecation as well. */
  version: string
  /** The date, such as `2026-11-16`. */
  today: string
}

/** Everything in which the current schema violates docs/api-policy.md, in sentences. Empty: it may be released. */
export async function policyViolations({ released, current, changelog, version, today }: Compared): Promise<string[]> {
  const [before, now] = [buildSchema(released), buildSchema(current)]
  const notes = apiNotesIn(changelog)
  const changes = await diff(before, now)
  const breaking = changes.filter(isBreaking)
  const announced = new Map(deprecationsIn(before).map((each) => [each.name, each]))
  return [
    ...breaking.flatMap((change) => violationsOf(change, { notes, announced, version, today })),
    ...undatedIn(now, notes),
    ...movedForward(deprecationsIn(now), announced),
  ]
}

/** A call that leaves an argument out would have another result: the library calls that dangerous, and the policy breaking. */
const OF_DEFAULTS: readonly string[] = [
  ChangeType.FieldArgumentDefaultChanged,
  ChangeType.InputFieldDefaultValueChanged,
]

const isBreaking = ({ criticality: { level }, type }: Change) =>
  level === CriticalityLevel.Breaking || OF_DEFAULTS.includes(String(type))

interface Rules {
  notes: ApiNotes
  announced: Map<string, Deprecation>
  version: string
  today: string
}

function violationsOf({ path = '', message }: Change, { notes, announced, version, today }: Rules): string[] {
  const end = announced.get(path)?.removedAfter
  const isEarly = end !== undefined && today <= end
  const isUnannounced = end === undefined && !version.startsWith('0.')
  return [
    ...(notes.breaking.has(path)
      ? []
      : [`${message}. This is a breaking change: name \`${path}\` under "### Breaking changes" in CHANGELOG.md.`]),
    ...(isEarly ? [`${message}. It was announced for after ${end}: wait until then.`] : []),
    ...(isUnannounced ? [`${message}. It was never deprecated: deprecate \`${path}\` first.`] : []),
  ]
}

function undatedIn(schema: GraphQLSchema, { deprecated }: ApiNotes): string[] {
  return deprecationsIn(schema).flatMap(({ name, removedAfter }) => {
    if (removedAfter === undefined)
      return [`${name} is deprecated without a date: end the reason with "Removed after 2027-05-16.", as a date.`]
    const since = deprecated.get(name)
    if (since === undefined)
      return [`${name} is deprecated: list \`${name}\` with the date under "### Deprecated" in CHANGELOG.md.`]
    const earliest = monthsAfter(since, MONTHS_OF_NOTICE)
    return removedAfter >= earliest
      ? []
      : [`${name} is deprecated since ${since}: it may be removed after ${earliest}, not after ${removedAfter}.`]
  })
}

/** Whoever has planned by a date may rely on it. */
const movedForward = (current: Deprecation[], announced: Rules['announced']) =>
  current.flatMap(({ name, removedAfter }) => {
    const promised = announced.get(name)?.removedAfter
    return promised !== undefined && removedAfter !== undefined && removedAfter < promised
      ? [`${name} was to be removed after ${promised}, and now after ${removedAfter}: a date only moves back.`]
      : []
  })

/** The day so many months later; in a month without that day, as many days later as it lacks. */
function monthsAfter(day: string, months: number): string {
  const date = new Date(day)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 10)
}
