/** What the newest version of CHANGELOG.md says about the API, for the rules of docs/api-policy.md. */
export interface ApiNotes {
  /** Parts of the schema such as `Device.name`, under `### Breaking changes`. */
  breaking: Set<string>
  /** Under `### Deprecated`: when each was deprecated. */
  deprecated: Map<string, string>
}

/** `- 2026-11-16: `Device.name`, …`: the date, and every name in code. */
const DEPRECATED = /^- (\d{4}-\d{2}-\d{2}): (.+)$/gm

/** Deprecations are listed until they are removed, so those of all versions count. */
export function apiNotesIn(changelog: string): ApiNotes {
  const [, newest = ''] = changelog.split(/^## /m)
  const deprecated = [...sectionsOf(changelog, 'Deprecated').matchAll(DEPRECATED)].flatMap(([, day = '', text = '']) =>
    codeIn(text).map((name): [string, string] => [name, day]),
  )
  return {
    breaking: new Set(codeIn(sectionsOf(newest, 'Breaking changes'))),
    deprecated: new Map(deprecated.reverse()),
  }
}

/** The text of all sections with this heading. */
function sectionsOf(text: string, heading: string): string {
  const sections = text.split(/^(?=##)/m)
  return sections.filter((section) => section.startsWith(`### ${heading}\n`)).join('')
}

const codeIn = (text: string) => [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
