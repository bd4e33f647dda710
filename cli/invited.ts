import type { InvitedPerson, KeySource } from './key-source/key-source.ts'

const NAMED = 5

interface Meant {
  /** Whether the keys that it generated are revoked as well. */
  includeDescendants: boolean
}

/** What happens to the people invited by a key when it is revoked (C13), one line each; empty if it invited nobody. */
export async function invitedLines(keys: KeySource, id: string, { includeDescendants }: Meant): Promise<string[]> {
  const { people, hasMore } = await keys.invited(id, { includeDescendants })
  const [subject, object] = includeDescendants ? ['They', 'them'] : ['It', 'it']
  const those = includeDescendants ? 'these keys' : 'this key'
  const open = people.filter(({ invited }) => invited)
  const members = people.filter(({ invited }) => !invited)
  const admins = members.filter(({ role }) => role === 'ADMIN')
  const others = members.filter(({ role }) => role === 'MEMBER')
  const outcome = open.length === 1 ? 'invitation is withdrawn' : 'invitations are withdrawn'
  return [
    ...(open.length === 0 ? [] : [`${open.length} open ${outcome} with ${those}: ${names(open)}`]),
    ...staying(object, admins, ['an Admin', 'Admins']),
    ...staying(object, others, ['a Member', 'Members']),
    ...(hasMore ? [`${subject} invited more people than these.`] : []),
  ]
}

function staying(inviter: string, people: InvitedPerson[], [one, many]: [one: string, many: string]): string[] {
  if (people.length === 0) return []
  const who = people.length === 1 ? `1 person invited by ${inviter} stays ${one}` : undefined
  return [`${who ?? `${people.length} people invited by ${inviter} stay ${many}`}: ${names(people)}`]
}

function names(people: InvitedPerson[]): string {
  const others = people.length - NAMED
  const named = people.slice(0, NAMED).map(({ name, email }) => (name === email ? email : `${name} (${email})`))
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
