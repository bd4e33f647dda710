import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { type DeviceView, deviceViewsQuery } from '../../api/device-views.ts'
import type { DeviceColumn, DeviceSearch } from '../../api/devices.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconBookmark, IconChevronDown } from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { ALL_COLUMNS, COLUMNS, columnsOf } from './device-columns.ts'
import { deviceSearch } from './device-search.ts'
import type { Density } from './use-density.ts'

const SaveView = lazyDialog(() => import('../../forms/devices/SaveView.tsx'))

/** How the list is shown: how close its rows are, which columns it has (a phone has no room for more), and what was saved of that under a name. */
export function ViewMenu({ slug, wanted, density }: { slug: string; wanted: DeviceSearch; density: Density }) {
  const { data: views = [] } = useQuery(deviceViewsQuery(slug))
  const { parseSearch, stringifySearch } = useRouter().options
  const navigate = useNavigate()
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const [isSaving, setSaving] = useState(false)
  const { after: _page, ...view } = wanted
  const shown = columnsOf(wanted)
  const toggled = (column: DeviceColumn) =>
    shown.includes(column) ? shown.filter((other) => other !== column) : [...shown, column]
  const show = (search: DeviceSearch) => navigate({ to: '.', search: deviceSearch({ ...search }) })
  const address = stringifySearch(deviceSearch({ ...view }))
  const saved = (heading: string, isShared: boolean): MenuEntry[] => {
    const some = views.filter(({ shared }) => shared === isShared)
    return some.length === 0 ? [] : [{ heading }, ...some.map(entryOf), 'line']
  }
  const entryOf = ({ name, search }: DeviceView) => {
    const meant = deviceSearch({ ...parseSearch(search), after: undefined })
    return { label: name, act: () => show(meant), checked: stringifySearch(meant) === address }
  }
  const columns: MenuEntry[] = [
    { heading: 'Columns' },
    ...ALL_COLUMNS.map((column) => ({
      label: COLUMNS[column].name,
      act: () => navigate({ to: '.', search: deviceSearch({ ...wanted, columns: toggled(column) }), state: true }),
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
          ...saved('Yours', false),
          ...saved('Everyone’s', true),
          { label: 'Save or remove views', icon: IconBookmark, act: () => setSaving(true) },
        ]}
      />
      <Suspense>
        {isSaving && <SaveView slug={slug} search={address.slice(1)} onClose={() => setSaving(false)} />}
      </Suspense>
    </>
  )
}
