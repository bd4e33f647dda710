import { Paper } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { type GeneratedKey, generateApiKey } from '../../api/api-keys.ts'
import { ApiError } from '../../api/client.ts'
import { type KeyPolicy, policyQuery } from '../../api/policy.ts'
import { useViewer } from '../../api/viewer.ts'
import { Form, textOf } from '../../ui/Form.tsx'
import { TextField } from '../../ui/fields.tsx'
import { readyForSecret } from './dialogs.ts'
import styles from './GenerateKey.module.css'
import { isLost, knownKeys, type LostSecret } from './lost-key.ts'
import { DAY_MS } from './recent.ts'

interface GenerateKeyProps {
  slug: string
  onGenerated: (key: GeneratedKey) => void
  /** The key may be there, but its secret is not. */
  onLost: (lost: LostSecret) => void
}

/** One click makes a key; a label and an end may be given before (K1, C7). */
export function GenerateKey({ slug, onGenerated, onLost }: GenerateKeyProps) {
  const queryClient = useQueryClient()
  const { user } = useViewer()
  const { data: policy } = useQuery(policyQuery(slug))
  const label = useRef<HTMLInputElement>(null)
  const end = useRef<HTMLInputElement>(null)

  const generate = async (values: FormData) => {
    const expiresAt = end.current?.validity.badInput ? notADay() : endOf(textOf(values, 'expiresAt'))
    await readyForSecret()
    const wanted = textOf(values, 'label')
    const known = { at: Date.now(), label: wanted, userId: user?.id, before: knownKeys(queryClient, slug) }
    try {
      onGenerated(await generateApiKey(slug, { label: wanted ?? null, expiresAt }))
    } catch (error) {
      if (!isLost(error)) throw error
      onLost({ ...known, error })
    }
    label.current?.form?.reset()
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] })
  }

  return (
    <Paper withBorder p="md">
      <Form onSubmit={generate} submit="Generate Key">
        <div className={styles['fields']}>
          <TextField
            ref={label}
            name="label"
            label="Label"
            description={`What the key is for. ${policy?.labelRequired ? 'Required.' : 'Optional.'}`}
            placeholder="nightly-export"
            maxLength={80}
            autoComplete="off"
          />
          <TextField
            ref={end}
            name="expiresAt"
            label="Last day"
            description={`It works through this day. ${wantsOf(policy)}`}
            type="date"
            max={lastDayOf(policy)}
          />
        </div>
      </Form>
    </Paper>
  )
}

const wantsOf = ({ longestLifeDays, endRequired }: Partial<KeyPolicy> = {}) =>
  longestLifeDays ? `At most ${longestLifeDays} days from now.` : endRequired ? 'Required.' : 'Optional.'

/** The last day whose end the rules allow, wherever the reader is. */
function lastDayOf({ longestLifeDays }: Partial<KeyPolicy> = {}): string {
  if (!longestLifeDays) return '9999-12-31'
  return new Date(Date.now() + (longestLifeDays - 1) * DAY_MS).toISOString().slice(0, 10)
}

/** The end of that day where the reader is. */
function endOf(day: string | undefined): string | null {
  if (!day) return null
  const end = new Date(`${day}T23:59:59.999`)
  return Number.isNaN(end.getTime()) ? notADay() : end.toISOString()
}

function notADay(): never {
  throw new ApiError('expiresAt: a whole date, or none.', { code: 'BAD_USER_INPUT', field: 'expiresAt' })
}
