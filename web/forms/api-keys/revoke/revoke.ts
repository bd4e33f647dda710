import type { ListedKey } from '../../../api/api-keys.ts'
import type { CreatedBySomebody, Descendant } from '../../../api/revoke-keys.ts'

/** The keys of a list that a key generated, directly or through others. */
export function generatedBy(
  keys: readonly Pick<ListedKey, 'id' | 'label' | 'createdBy'>[],
  parentId: string,
): Descendant[] {
  const made = keys.filter(({ createdBy }) => createdBy.kind === 'API_KEY' && createdBy.id === parentId)
  return made.flatMap(({ id, label }) => [{ id, label, parentId }, ...generatedBy(keys, id)])
}

/** The keys of a list that are among these descendants, with all that the list knows of them. */
export const among = <Key extends { id: string }>(keys: readonly Key[], made: readonly { id: string }[]): Key[] =>
  keys.filter(({ id }) => made.some((each) => each.id === id))

/** The ids of the keys that still work after a revoke. */
export const stillActive = (keys: readonly { id: string; expired: boolean }[], revoked: readonly string[] = []) =>
  keys.filter(({ id, expired }) => !expired && !revoked.includes(id)).map(({ id }) => id)

/** The webhooks of a list that one of these keys created. */
export const webhooksOf = (webhooks: readonly CreatedBySomebody[], keyIds: readonly string[]): CreatedBySomebody[] =>
  webhooks.filter(({ createdBy: { kind, id } }) => kind === 'API_KEY' && id !== null && keyIds.includes(id))

/** Whether exactly this word was typed; blanks around it do not matter. */
export const isConfirmed = (text: string, word: string): boolean => text.trim() === word.trim()
