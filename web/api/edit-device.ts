import { queryOptions } from '@tanstack/react-query'
import { mutate } from './client.ts'
import { findDevice } from './devices.ts'
import { graphql, type VariablesOf } from './graphql.ts'

/** The device as it is when the form opens, and not again while somebody types. */
export const deviceToEditQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['devices', slug, 'edit', id],
    queryFn: () => findDevice(slug, id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

const CREATE = graphql(`
  mutation CreateDevice($input: CreateDeviceInput!) {
    createDevice(input: $input) { id name }
  }
`)

export type NewDevice = VariablesOf<typeof CREATE>['input']

export const createDevice = async (slug: string, input: NewDevice) =>
  (await mutate(CREATE, { input }, slug)).createDevice

const UPDATE = graphql(`
  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {
    updateDevice(id: $id, input: $input) { id name }
  }
`)

export type DeviceChanges = VariablesOf<typeof UPDATE>['input']

export const updateDevice = async (slug: string, id: string, input: DeviceChanges) =>
  (await mutate(UPDATE, { id, input }, slug)).updateDevice

const DELETE = graphql(`
  mutation DeleteDevice($id: ID!) {
    deleteDevice(id: $id)
  }
`)

export const deleteDevice = (slug: string, id: string) => mutate(DELETE, { id }, slug)
