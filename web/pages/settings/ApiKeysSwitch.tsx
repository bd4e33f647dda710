import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { apiKeysQuery } from '../../api/api-keys.ts'
import { activeKeyCountQuery, setApiKeysEnabled } from '../../api/organization.ts'
import type { Viewer } from '../../api/viewer.ts'
import { countActiveKeys, countKeys } from '../../components/key-activity.ts'
import { keysOf } from '../../paths.ts'
import { lazyDialog, lazyPart } from '../../ui/lazy-dialog.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'

const RemainingKeys = lazyPart(() => import('./RemainingKeys.tsx'))
const SwitchOff = lazyDialog(() => import('../../forms/api-keys/SwitchOff.tsx'))

/** The switch of the feature (F1, F3): on with one click; off asks first while keys are active (C1). */
export function ApiKeysSwitch({ organization }: { organization: Viewer['organization'] }) {
  const { slug, apiKeysEnabled } = organization
  const queryClient = useQueryClient()
  const { data: active } = useSuspenseQuery(activeKeyCountQuery(slug))
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)

  const change = async (enabled: boolean, revokeActiveKeys = false) => {
    const left = await setApiKeysEnabled(slug, enabled, { revokeActiveKeys })
    void queryClient.invalidateQueries({ queryKey: ['api-keys', slug] }) // the switch does not wait for lists
    await queryClient.invalidateQueries({ queryKey: ['viewer'] })
    if (enabled) notifyDone('API keys are switched on.')
    else notifyDone(`API keys are switched off.${revokeActiveKeys ? ' All keys are revoked.' : goOn(left)}`)
  }

  const toggle = async () => {
    if (pending) return
    setPending(true)
    try {
      if (!apiKeysEnabled) await change(true)
      else if ((await queryClient.fetchQuery(rightNow(slug))) > 0) {
        await queryClient.fetchQuery({ ...apiKeysQuery(slug), ...RIGHT_NOW }) // what the dialog names
        setAsking(true)
      } else await change(false)
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    } finally {
      setPending(false)
    }
  }

  return (
    <Stack>
      <Switch
        size="md"
        checked={apiKeysEnabled}
        onChange={toggle}
        label="API keys"
        description={`${apiKeysEnabled ? 'On: Admins can generate keys for scripts and applications.' : 'Off: nobody can generate a key.'} ${countActiveKeys(active)}.`}
      />
      {apiKeysEnabled && (
        <Text size="sm">
          <Anchor component={Link} to={keysOf(organization)}>
            View keys
          </Anchor>
        </Text>
      )}
      <Suspense>{!apiKeysEnabled && <RemainingKeys slug={slug} />}</Suspense>
      <Suspense>
        {asking && (
          <SwitchOff
            slug={slug}
            active={active}
            onConfirm={(revokeActiveKeys) => change(false, revokeActiveKeys)}
            onClose={() => setAsking(false)}
          />
        )}
      </Suspense>
    </Stack>
  )
}

/** Never a cached count; without a connection it fails at once. */
const RIGHT_NOW = { staleTime: 0, networkMode: 'always', retry: false } as const
const rightNow = (slug: string) => ({ ...activeKeyCountQuery(slug), ...RIGHT_NOW })

const goOn = (left: number) => (left === 0 ? '' : ` ${countKeys(left)} ${left === 1 ? 'keeps' : 'keep'} working.`)
