import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { devicesQuery } from '../../../api/devices.ts'
import { MAX_NAME } from '../../../limits.ts'
import { TextField } from '../../../ui/fields.tsx'

interface DeviceFieldProps {
  slug: string
  /** The name of the one that is chosen already, if any. */
  device?: string
}

/** The one device that a check-in key is for, by its name; suggestions appear while typing. */
export default function DeviceField({ slug, device = '' }: DeviceFieldProps) {
  const [search, setSearch] = useState(device)
  const { data } = useQuery({
    ...devicesQuery(slug, search.trim() === '' ? {} : { search: search.trim() }),
    refetchInterval: false,
    placeholderData: (before) => before,
  })
  const list = useId()
  return (
    <>
      <TextField
        name="deviceId"
        label="Device"
        description="The only device it can check in. Leave empty for any device."
        placeholder="Search by start of name"
        defaultValue={device}
        maxLength={MAX_NAME}
        list={list}
        autoComplete="off"
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <datalist id={list}>
        {data?.data.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </>
  )
}
