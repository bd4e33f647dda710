import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Table } from '../../../ui/Table.tsx'
import { devicesOf } from '../bulk/run-bulk.ts'
import { LineErrors } from './ImportReport.tsx'
import { countFates, type Fate, type ImportMode, type PlannedRow, rowsToWrite } from './plan-import.ts'
import type { Checked } from './use-import.ts'

interface ImportPreviewProps {
  checked: Checked
  onStart: (mode: ImportMode) => void
  onBack: () => void
}

/** What the file would do, before anything is done. A file with errors does nothing. */
export function ImportPreview({ checked: { name, file, plan }, onStart, onBack }: ImportPreviewProps) {
  const [mode, setMode] = useState<ImportMode>('create')
  if (file.errorCount > 0) return <Refused file={file} name={name} onBack={onBack} />
  const count = rowsToWrite(plan, mode).length
  const fates = countFates(plan)
  return (
    <Stack>
      <Text role="status">{summary(fates, mode, name)}</Text>
      {file.ignored.length > 0 && (
        <Alert color="warning">
          Not imported, because the portal does not know these columns: {file.ignored.join(', ')}.
        </Alert>
      )}
      {fates.create < plan.length && <WhatIsThere mode={mode} onMode={setMode} />}
      <PlanTable plan={plan} mode={mode} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Choose another file
        </Button>
        <Button disabled={count === 0} onClick={() => onStart(mode)}>
          {count === 0 ? 'Nothing to import' : `Import ${devicesOf(count)}`}
        </Button>
      </Group>
    </Stack>
  )
}

/** Only asked where some are. */
function WhatIsThere({ mode, onMode }: { mode: ImportMode; onMode: (mode: ImportMode) => void }) {
  return (
    <Radio.Group
      label="Devices that are there already"
      value={mode}
      onChange={(value) => onMode(value === 'upsert' ? 'upsert' : 'create')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="create" label="Leave them as they are" description="Only new devices are created." />
        <Radio
          value="upsert"
          label="Update them by name"
          description="An empty cell clears a field; what the file has no column for stays as it is."
        />
      </Stack>
    </Radio.Group>
  )
}

function summary(fates: ReturnType<typeof countFates>, mode: ImportMode, name: string): string {
  const { create, update, unchanged } = fates
  const others =
    mode === 'create'
      ? [`${(update + unchanged).toLocaleString()} already there`]
      : [`${update.toLocaleString()} to update`, `${unchanged.toLocaleString()} unchanged`]
  return `${name}: ${[`${create.toLocaleString()} to create`, ...others].join(', ')}.`
}

function Refused({ file, name, onBack }: { file: Checked['file']; name: string; onBack: () => void }) {
  const { errors, errorCount } = file
  return (
    <Stack>
      <Alert color="danger" role="alert" title="Nothing was imported">
        {errorCount === 1 ? 'There is an error in' : `There are ${errorCount.toLocaleString()} errors in`} “{name}”. Fix
        it and try again.
      </Alert>
      <LineErrors errors={errors} count={errorCount} />
      <Group justify="flex-end">
        <Button onClick={onBack} data-autofocus>
          Go back
        </Button>
      </Group>
    </Stack>
  )
}

const SHOWN = 6

const WORDS: Record<ImportMode, Record<Fate, string>> = {
  create: { create: 'Create', update: 'Already there', unchanged: 'Already there' },
  upsert: { create: 'Create', update: 'Update', unchanged: 'Unchanged' },
}

/** The first lines, and what would become of them. */
function PlanTable({ plan, mode }: { plan: readonly PlannedRow[]; mode: ImportMode }) {
  return (
    <div>
      <Table label="First lines of the file">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Device</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {plan.slice(0, SHOWN).map((row) => (
            <tr key={row.line}>
              <td>{row.line.toLocaleString()}</td>
              <td>
                {row.device.name}
                <Text size="sm" c="dimmed">
                  {[row.device.tags?.join(', '), row.device.location?.name].filter(Boolean).join(' · ')}
                </Text>
              </td>
              <td>
                {WORDS[mode][row.fate]}
                {mode === 'upsert' && row.fate === 'update' && `: ${row.changes.join(', ')}`}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {plan.length > SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          and {(plan.length - SHOWN).toLocaleString()} more lines
        </Text>
      )}
    </div>
  )
}
