import { Badge, type BadgeProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Anchored<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>

/** A button, and a tag, that lead somewhere, with the search of the address checked by the compiler. */
export const LinkButton = createLink((props: Anchored<ButtonProps>) => <Button component="a" {...props} />)
export const LinkBadge = createLink((props: Anchored<BadgeProps>) => <Badge component="a" {...props} />)
