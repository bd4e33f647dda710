import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ApiError } from '../../../api/client.ts'
import { download } from '../../../ui/SaveFile.tsx'
import { Table } from '../../../ui/Table.tsx'
import { devicesOf } from '../bulk/run-bulk.ts'
import { restFile } from '../device-csv.ts'
import type { FileRow } from './check-devices.ts'
import type { LineError } from './reader.ts'
import type { ImportState, Job } from './use-import.ts'
import type { WriteReport } from './write-rows.ts'

interface ImportReportProps {
  state: Extract<ImportState, { step: 'report' }>
  onProceed: (rows: readonly FileRow[], job: Job) => void
  onClose: () => void
}

/** What is written and what is not, up to which line, and how to go on. */
export function ImportReport({ state: { job, report }, onProceed, onClose }: ImportReportProps) {
  const { rest, errors, failure } = report
  const left = [...job.skipped, ...rest]
  const refused = new Set(errors.map(({ line }) => line))
  const others = rest.filter(({ line }) => !refused.has(line))
  const skip = () =>
    onProceed(others, { ...job, skipped: [...job.skipped, ...rest.filter(({ line }) => refused.has(line))] })
  return (
    <Stack>
      <Text role="status">
        {devicesOf(job.created)} created, {job.updated.toLocaleString()} updated.
        {left.length > 0 && ` ${devicesOf(left.length)} of the file not imported.`}
      </Text>
      {rest.length > 0 && (
        <Alert
          color={failure || errors.length > 0 ? 'danger' : 'warning'}
          role="alert"
          title={whereItEnded(report, job)}
        >
          {whyItEnded(report)}
        </Alert>
      )}
      {errors.length > 0 && <LineErrors errors={errors} />}
      <Group justify="flex-end">
        {left.length > 0 && (
          <Button variant="default" onClick={() => download(restFile(left, job.checked.file.format), restName(job))}>
            Download the rest
          </Button>
        )}
        {rest.length > 0 && errors.length === 0 && <Button onClick={() => onProceed(rest, job)}>Continue</Button>}
        {others.length > 0 && errors.length > 0 && <Button onClick={skip}>Continue without these lines</Button>}
        <Button variant={rest.length > 0 ? 'default' : 'filled'} onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

/** The lines are written in the order of the file. */
function whereItEnded({ rest: [first], failure }: WriteReport<FileRow>, { checked }: Job): string {
  const before = `Everything before line ${first?.line.toLocaleString()} is done.`
  if (isUnknown(failure)) return before
  return first?.line === checked.file.rows[0]?.line
    ? 'Nothing is written.'
    : `${before} From there on nothing is written.`
}

function whyItEnded({ failure, errors }: WriteReport<FileRow>): string {
  if (isUnknown(failure)) {
    return `${failure.reason} Some of the lines that follow may be written: Continue looks first, and writes none twice.`
  }
  return failure?.message ?? (errors.length > 0 ? 'The portal refused these lines:' : 'It was stopped.')
}

type Failure = WriteReport<FileRow>['failure']

const isUnknown = (failure: Failure): failure is ApiError => failure instanceof ApiError && !failure.isOutcomeKnown

const restName = ({ checked }: Job) =>
  `${checked.name.replace(/\.\w+$/, '').replaceAll(' ', '-')}-rest.${checked.file.format}`

const SHOWN = 100

/** What is wrong, by line and field. */
export function LineErrors({ errors, count = errors.length }: { errors: readonly LineError[]; count?: number }) {
  const shown = errors.slice(0, SHOWN)
  return (
    <>
      <Table label="Errors by line">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Field</th>
            <th scope="col">Problem</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ line, field, message }) => (
            <tr key={`${line} ${field} ${message}`}>
              <td>{line.toLocaleString()}</td>
              <td className="nowrap">{field}</td>
              <td>{message}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {count > SHOWN && (
        <Text size="sm" c="dimmed">
          and {(count - SHOWN).toLocaleString()} more
        </Text>
      )}
    </>
  )
}
