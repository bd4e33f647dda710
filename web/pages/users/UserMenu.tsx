import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { changeUserRole, type ListedUser } from '../../api/users.ts'
import { DotsIcon } from '../../ui/icons.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'

const RemoveUser = lazyDialog(() => import('../../forms/users/RemoveUser.tsx'))

interface UserMenuProps {
  user: ListedUser
  slug: string
  isYou: boolean
  isLastAdmin: boolean
}

/** What an Admin can do with a person. */
export function UserMenu({ user, slug, isYou, isLastAdmin }: UserMenuProps) {
  const queryClient = useQueryClient()
  const [removing, setRemoving] = useState(false)
  const removal = isYou ? 'Leave' : user.invited ? 'Withdraw invitation' : 'Remove'
  const otherRole = user.role === 'ADMIN' ? 'MEMBER' : 'ADMIN'

  const changeRole = async () => {
    try {
      await changeUserRole(slug, user.id, otherRole)
      notifyDone(`${user.name} is now ${otherRole === 'ADMIN' ? 'an Admin' : 'a Member'}.`)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    }
    await queryClient.invalidateQueries({ queryKey: ['users', slug] })
    if (isYou) await queryClient.invalidateQueries({ queryKey: ['viewer'] })
  }

  return (
    <>
      <MenuButton
        position="bottom-end"
        button={
          <Button variant="subtle" color="gray" size="compact-md" px={5} aria-label={`Actions for ${user.name}`}>
            <DotsIcon />
          </Button>
        }
        entries={[
          ...(isLastAdmin ? [{ heading: 'The last Admin cannot be removed. Make someone else an Admin first.' }] : []),
          { label: otherRole === 'ADMIN' ? 'Make Admin' : 'Make Member', act: changeRole, disabled: isLastAdmin },
          { label: removal, act: () => setRemoving(true), danger: true, disabled: isLastAdmin },
        ]}
      />
      <Suspense>
        {removing && <RemoveUser user={user} slug={slug} isYou={isYou} onClose={() => setRemoving(false)} />}
      </Suspense>
    </>
  )
}
