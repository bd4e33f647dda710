import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { DeviceColumn, DeviceSearch } from '../../api/devices.ts'
import { useViewer } from '../../api/viewer.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconBookmark, IconChevronDown } from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { ALL_COLUMNS, COLUMNS, columnsOf } from './device-columns.ts'
import { deviceSearch } from './device-search.ts'
import type { Density } from './use-density.ts'
import { useSavedViews } from './use-saved-views.ts'

const SaveView = lazyDialog(() => import('../../forms/devices/SaveView.tsx'))

/** How the list is shown: how close its rows are, which columns it has (a phone has no room for more), and what was saved of that under a name. */
export function ViewMenu({ slug, wanted, density }: { slug: string; wanted: DeviceSearch; density: Density }) {
  const { user } = useViewer()
  const saved = useSavedViews(user?.id ?? '', slug)
  const navigate = useNavigate()
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const [isSaving, setSaving] = useState(false)
  const { after: _page, ...view } = wanted
  const shown = columnsOf(wanted)
  const toggled = (column: DeviceColumn) =>
    shown.includes(column) ? shown.filter((other) => other !== column) : [...shown, column]
  const show = (search: DeviceSearch) => navigate({ to: '.', search: deviceSearch({ ...search }) })
  const columns: MenuEntry[] = [
    { heading: 'Columns' },
    ...ALL_COLUMNS.map((column) => ({
      label: COLUMNS[column].name,
      act: () => show({ ...view, columns: toggled(column) }),
      isOn: shown.includes(column),
    })),
    'line',
  ]
  return (
    <>
      <MenuButton
        position="bottom-end"
        button={
          <Button
            variant="subtle"
            color="neutral"
            size="compact-sm"
            ml="auto"
            rightSection={<Icon of={IconChevronDown} />}
          >
            View
          </Button>
        }
        entries={[
          { heading: 'Rows' },
          { label: 'Comfortable', act: () => density.setCompact(false), checked: !density.isCompact },
          { label: 'Compact', act: () => density.setCompact(true), checked: density.isCompact },
          'line',
          ...(isPhone ? [] : columns),
          { heading: 'Saved views' },
          ...saved.views.map(({ name, search }) => ({
            label: name,
            act: () => show(search),
            checked: JSON.stringify(search) === JSON.stringify(deviceSearch({ ...view })),
          })),
          { label: 'Save or remove views', icon: IconBookmark, act: () => setSaving(true) },
        ]}
      />
      <Suspense>
        {isSaving && (
          <SaveView
            names={saved.views.map(({ name }) => name)}
            onSave={(name) => saved.save({ name, search: deviceSearch({ ...view }) })}
            onRemove={saved.remove}
            onClose={() => setSaving(false)}
          />
        )}
      </Suspense>
    </>
  )
}
