import { Button, Group, Progress, Stack, TagsInput, Text } from '@mantine/core'
import { ApiError } from '../../../api/client.ts'
import { MAX_TAG } from '../../../limits.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorAlert } from '../../../ui/ErrorAlert.tsx'
import { Form, useField } from '../../../ui/Form.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { TAG_DIVIDER, tagsOf } from '../device-values.ts'
import { ConfirmMany } from './ConfirmMany.tsx'
import { type BulkAction, type BulkReport, type Chosen, devicesOf, useBulk, WORDS } from './run-bulk.ts'

/** Up to this many are enabled or disabled at a click: it is easily undone. */
const AT_ONCE = 50

interface BulkDevicesProps {
  slug: string
  kind: BulkAction['kind']
  chosen: Chosen
  suggestions: string[]
  /** Called with the devices that stay selected: none, or those with which it failed. */
  onDone: (left: Chosen) => void
  onClose: () => void
}

/** Does something with many devices: asks first, says how far it is, and in the end what has failed. */
export default function BulkDevices({ slug, kind, chosen, suggestions, onDone, onClose }: BulkDevicesProps) {
  useReturnFocus()
  const asks = kind === 'delete' || kind === 'tags' || chosen.size > AT_ONCE
  const { state, start, stop } = useBulk({ slug, chosen, first: asks ? undefined : { kind }, onDone, onClose })
  const { verb, doing } = WORDS[kind]
  const action = `${verb} ${devicesOf(chosen.size)}`

  if (state.step === 'failed') {
    return (
      <Dialog onClose={onClose} title={`Not all devices were ${WORDS[kind].done}`} size="lg">
        <BulkFailures action={state.action} report={state.report} onClose={onClose} />
      </Dialog>
    )
  }
  if (state.step === 'running') {
    const title = `${doing} ${devicesOf(state.of)}`
    return (
      <Dialog onClose={stop} title={title} closeOnClickOutside={false}>
        <Stack>
          <Progress value={(100 * state.done) / state.of} aria-label={title} />
          <Text size="sm" role="status">
            {state.done.toLocaleString()} of {state.of.toLocaleString()}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={stop} data-autofocus>
              Stop
            </Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={kind === 'tags' ? action : `${action}?`}>
      {kind === 'tags' ? (
        <TagsForm
          suggestions={suggestions}
          submit="Save tags"
          onTags={(tags) => start({ kind, ...tags })}
          onCancel={onClose}
        />
      ) : (
        <ConfirmMany
          chosen={chosen}
          action={action}
          warning={WARNINGS[kind]}
          types={kind === 'delete'}
          onConfirm={() => start({ kind })}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

const WARNINGS = {
  delete:
    'This permanently deletes these devices. Their check-ins are refused. To keep them in the list, disable them instead.',
  enable: 'These devices will be marked as enabled.',
  disable: 'These devices will be marked as disabled. They stay in the list and can still check in.',
}

const SHOWN = 100

interface BulkFailuresProps {
  action: BulkAction
  report: BulkReport
  onClose: () => void
}

/** How many are done, and of each other one why not. */
function BulkFailures({ action, report: { done, failed, failure }, onClose }: BulkFailuresProps) {
  const refused = [...failed].filter(([, { why }]) => why !== undefined)
  const untried = failed.size - refused.length
  return (
    <Stack>
      <Text role="status">
        {devicesOf(done)} {WORDS[action.kind].done}, {failed.size.toLocaleString()} not.
        {untried > 0 && !failure && ' It was stopped before it came to all of them.'}
      </Text>
      {failure && <ErrorAlert error={failure} />}
      {refused.length > 0 && (
        <Table label="Devices that failed">
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {refused.slice(0, SHOWN).map(([id, { name, why }]) => (
              <tr key={id}>
                <td>{name}</td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {refused.length > SHOWN && <Text size="sm">and {(refused.length - SHOWN).toLocaleString()} more</Text>}
      <Text size="sm" c="dimmed">
        {devicesOf(failed.size)} {failed.size === 1 ? 'stays' : 'stay'} selected, so that you can try again.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

interface TagsFormProps {
  /** Tags that the devices in sight have. */
  suggestions: string[]
  submit: string
  onTags: (tags: { add: string[]; remove: string[] }) => void
  onCancel: () => void
}

/** Which tags to add and which to take away; the others of each device stay. */
function TagsForm({ suggestions, submit, onTags, onCancel }: TagsFormProps) {
  const send = async (values: FormData) => {
    const [add, remove] = [tagsOf(values, 'add'), tagsOf(values, 'remove')]
    const tooLong = add.find((tag) => tag.length > MAX_TAG)
    if (tooLong) throw problem(`A tag has at most ${MAX_TAG} characters.`)
    if (add.length + remove.length === 0) throw problem('Enter at least one tag to add or to remove.')
    if (add.some((tag) => remove.includes(tag))) throw problem('A tag cannot be added and removed at once.')
    onTags({ add, remove })
  }
  return (
    <Form onSubmit={send} submit={submit} onCancel={onCancel}>
      <TagList name="add" label="Tags to add" suggestions={suggestions} autoFocus />
      <TagList name="remove" label="Tags to remove" suggestions={suggestions} />
    </Form>
  )
}

const problem = (message: string) => new ApiError(message, { code: 'BAD_USER_INPUT', field: 'add' })

interface TagListProps {
  name: string
  label: string
  suggestions: string[]
  autoFocus?: boolean
}

const TagList = ({ name, label, suggestions, autoFocus = false }: TagListProps) => (
  <TagsInput
    {...useField(name)}
    label={label}
    description="Press Enter or comma after each."
    data={suggestions}
    maxDropdownHeight={180}
    openOnFocus={false}
    hiddenInputValuesDivider={TAG_DIVIDER}
    isDuplicate={(tag, others) => others.includes(tag)}
    data-autofocus={autoFocus || undefined}
  />
)
