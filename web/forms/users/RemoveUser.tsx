import { List, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keysCreatedByQuery } from '../../api/api-keys.ts'
import { type ListedUser, removeUser } from '../../api/users.ts'
import { useViewer, viewerQuery } from '../../api/viewer.ts'
import { paths } from '../../paths.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { notifyDone } from '../../ui/notify.ts'

interface RemoveUserProps {
  user: Pick<ListedUser, 'id' | 'name' | 'email' | 'role' | 'invited'>
  slug: string
  isYou: boolean
  onClose: () => void
}

/** Removes somebody, withdraws an invitation, or leaves; tells which keys the person made, and that they stay (C6), and that open invitations end (C13). */
export default function RemoveUser({ user, slug, isYou, onClose }: RemoveUserProps) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { role } = useViewer()
  const { data: keys = [] } = useQuery({ ...keysCreatedByQuery(slug, user.id), enabled: role === 'ADMIN' })
  const words = wordsFor(user, isYou)

  const remove = async () => {
    await removeUser(slug, user.id)
    if (isYou) {
      await queryClient.fetchQuery({ ...viewerQuery(undefined), staleTime: 0 }) // the way home leads to what is left
      await navigate({ href: paths.home() })
    } else await queryClient.invalidateQueries({ queryKey: ['users', slug] })
    notifyDone(words.done)
  }

  return (
    <ConfirmDialog title={words.title} action={words.action} onConfirm={remove} onClose={onClose}>
      <Text>{words.message}</Text>
      {user.role === 'ADMIN' && !user.invited && (
        <Text>
          Open invitations from {isYou ? 'you' : user.name} are withdrawn as well; people who have joined stay.
        </Text>
      )}
      {keys.length > 0 && (
        <>
          <Text>
            API keys belong to the organization.{' '}
            {isYou ? 'The ones you created stay' : `The ones created by ${user.name} stay`} active until they are
            revoked:
          </Text>
          <List>
            {keys.map((key) => (
              <List.Item key={key.id}>{key.label}</List.Item>
            ))}
          </List>
        </>
      )}
    </ConfirmDialog>
  )
}

function wordsFor({ name, email, invited }: RemoveUserProps['user'], isYou: boolean) {
  if (isYou) {
    const message = 'You lose access immediately, and need an invitation to come back.'
    return { title: 'Leave the organization?', action: 'Leave', message, done: 'You have left.' }
  }
  if (invited) {
    const message = `The link for ${email} stops working at once.`
    const done = 'Invitation withdrawn.'
    return { title: 'Withdraw the invitation?', action: 'Withdraw invitation', message, done }
  }
  const message = `${name} loses access at once.`
  return { title: `Remove ${name}?`, action: 'Remove', message, done: `${name} was removed.` }
}
