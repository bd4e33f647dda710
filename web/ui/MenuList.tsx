import { Menu } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { cloneElement, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon } from './Icon.tsx'
import { IconCheck } from './icons/icons.ts'
import type { MenuButtonProps, MenuEntry } from './menu.ts'

/** On its own, so that it is loaded when it is wanted: it opens at once, and closing gives the focus back to its button. */
export default function MenuList({ button, entries, position }: MenuButtonProps) {
  const [opened, setOpened] = useState(false)
  useEffect(() => setOpened(true), [])
  const target = useRef<HTMLButtonElement>(null)
  const ref = useMergedRef(target, button.props.ref)
  // At once, not a moment later: by then a field or a dialog that an entry has opened has the focus.
  const change = (isOpen: boolean) => {
    setOpened(isOpen)
    if (!isOpen) target.current?.focus()
  }
  // Until an entry has the focus, a moment later, Escape closes the menu too, and not the dialog that it is in.
  const whileOpen = opened && {
    'data-mantine-stop-propagation': true,
    onKeyDown: ({ key }: KeyboardEvent) => key === 'Escape' && change(false),
  }
  return (
    // Not hidden where its button scrolls out of sight: the focus may be at the end of a long menu.
    <Menu opened={opened} onChange={change} position={position} returnFocus={false} hideDetached={false}>
      <Menu.Target>{cloneElement(button, { autoFocus: true, ref, ...whileOpen } as object)}</Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {entries.map((entry, index) => (
          <Entry key={keyOf(entry, index)} entry={entry} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry === 'line') return <Menu.Divider />
  if ('heading' in entry) return <Menu.Label>{entry.heading}</Menu.Label>
  if ('to' in entry) {
    return (
      <Menu.Item
        component={Link}
        to={entry.to}
        aria-current={entry.current ? 'true' : undefined}
        leftSection={entry.icon && <Icon of={entry.icon} />}
        rightSection={entry.current && <Icon of={IconCheck} />}
      >
        {entry.label}
      </Menu.Item>
    )
  }
  const { label, act, icon, danger, disabled, checked, isOn } = entry
  if (isOn !== undefined) {
    return (
      <Menu.CheckboxItem value={label} checked={isOn} onChange={act} closeMenuOnClick={false}>
        {label}
      </Menu.CheckboxItem>
    )
  }
  if (checked !== undefined) {
    return (
      <Menu.RadioItem value={label} checked={checked} onChange={act}>
        {label}
      </Menu.RadioItem>
    )
  }
  if (disabled) {
    return (
      // Not `disabled`: the focus could not be in a menu of such entries, and Escape would not close it.
      <Menu.Item data-disabled aria-disabled closeMenuOnClick={false} leftSection={icon && <Icon of={icon} />}>
        {label}
      </Menu.Item>
    )
  }
  return (
    <Menu.Item onClick={act} leftSection={icon && <Icon of={icon} />} {...(danger && { c: 'var(--danger-text)' })}>
      {label}
    </Menu.Item>
  )
}

function keyOf(entry: MenuEntry, index: number): string {
  if (entry === 'line') return `line ${index}`
  if ('to' in entry) return entry.to
  return 'heading' in entry ? entry.heading : `${entry.label} ${index}` // a saved view may have any name
}
