import { ActionIcon, List, Menu, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { keysMadeByQuery } from '../api/api-keys.ts'
import { changeUserRole, type ListedUser, removeUser } from '../api/users.ts'
import { paths } from '../paths.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { notifyDone, notifyTrouble } from '../ui/notify.ts'

interface UserProps {
  user: ListedUser
  slug: string
  isYou: boolean
}

/** What an Admin can do with a person. */
export function UserMenu({ user, slug, isYou }: UserProps) {
  const queryClient = useQueryClient()
  const [removing, setRemoving] = useState(false)
  const otherRole = user.role === 'ADMIN' ? 'MEMBER' : 'ADMIN'

  const changeRole = async () => {
    try {
      await changeUserRole(slug, user.id, otherRole)
      await queryClient.invalidateQueries({ queryKey: ['users', slug] })
      if (isYou) await queryClient.invalidateQueries({ queryKey: ['viewer'] })
      notifyDone(`${user.name} is now ${otherRole === 'ADMIN' ? 'an Admin' : 'a Member'}.`)
    } catch (error) {
      if (error instanceof Error) notifyTrouble(error)
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={changeRole}>Make {otherRole === 'ADMIN' ? 'Admin' : 'Member'}</Menu.Item>
          <Menu.Item color="red" onClick={() => setRemoving(true)}>
            {isYou ? 'Leave' : user.invited ? 'Withdraw invitation' : 'Remove'}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {removing && <RemoveUser user={user} slug={slug} isYou={isYou} onClose={() => setRemoving(false)} />}
    </>
  )
}

/** Says which keys the person made, and that they stay (C6). */
function RemoveUser({ user, slug, isYou, onClose }: UserProps & { onClose: () => void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { data: keys = [] } = useQuery(keysMadeByQuery(slug, user.id))
  const remove = async () => {
    await removeUser(slug, user.id)
    if (isYou) await navigate({ href: paths.home() })
    await queryClient.invalidateQueries({ queryKey: isYou ? ['viewer'] : ['users', slug] })
    notifyDone(isYou ? 'You have left.' : user.invited ? 'The invitation is withdrawn.' : `${user.name} was removed.`)
  }
  const title = isYou ? 'Leave the organization?' : user.invited ? 'Withdraw the invitation?' : `Remove ${user.name}?`
  const action = isYou ? 'Leave' : user.invited ? 'Withdraw invitation' : 'Remove'
  return (
    <Confirm title={title} action={action} onConfirm={remove} onClose={onClose}>
      <Text>
        {user.invited
          ? `The link for ${user.email} stops working at once.`
          : `${isYou ? 'You lose' : `${user.name} loses`} access with the next click.`}
      </Text>
      {keys.length > 0 && (
        <>
          <Text>API keys belong to the organization. These, made by {user.name}, stay active:</Text>
          <List>
            {keys.map((key) => (
              <List.Item key={key.id}>{key.label}</List.Item>
            ))}
          </List>
        </>
      )}
    </Confirm>
  )
}
