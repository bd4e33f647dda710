import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { AuthLayout } from './AuthLayout.tsx'

interface ExpiredLinkProps {
  title?: string
  /** Why, and how to get another one. */
  children: ReactNode
  below?: ReactNode
}

/** In place of a page whose link no longer works. */
export const ExpiredLink = ({ title = 'This link has expired', children, below = <ToSignIn /> }: ExpiredLinkProps) => (
  <AuthLayout title={title} below={below}>
    <Text role="alert">{children}</Text>
  </AuthLayout>
)

export const ToSignIn = () => (
  <Anchor component={Link} to={paths.signIn()} inherit underline="always">
    Sign in
  </Anchor>
)
