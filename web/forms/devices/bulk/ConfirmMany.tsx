import { Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ConfirmButtons } from '../../../ui/ConfirmDialog.tsx'
import { type Chosen, devicesOf } from './run-bulk.ts'

/** Up to this many a look at the names is enough. */
const FEW = 5
const NAMED = 5

interface ConfirmManyProps {
  chosen: Chosen
  /** What the button does. */
  action: string
  warning: string
  /** Whether more than a few have to be confirmed by typing how many. */
  types: boolean
  onConfirm: () => void
  onCancel: () => void
}

/** Says how many it is about and which, and asks for the number where there are more than a few. */
export function ConfirmMany({ chosen, action, warning, types, onConfirm, onCancel }: ConfirmManyProps) {
  const [typed, setTyped] = useState('')
  const asks = types && chosen.size > FEW
  const isConfirmed = !asks || typed.replace(/[\s.,’']/g, '') === String(chosen.size)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) onConfirm()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{warning}</Text>
        <Names chosen={chosen} />
        {asks && (
          <TextInput
            label={`Type ${chosen.size} to confirm`}
            description={`You are about to change ${devicesOf(chosen.size)}.`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="off"
          />
        )}
        <ConfirmButtons action={action} pending={false} disabled={!isConfirmed} onCancel={onCancel} />
      </Stack>
    </form>
  )
}

function Names({ chosen }: { chosen: Chosen }) {
  const named = [...chosen].slice(0, NAMED)
  return (
    <ul className="bullets">
      {named.map(([id, name]) => (
        <li key={id}>{name}</li>
      ))}
      {chosen.size > NAMED && <li>and {devicesOf(chosen.size - NAMED).replace('device', 'other device')}</li>}
    </ul>
  )
}
