import { queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const VIEWS = graphql(`
  query DeviceViews {
    deviceViews { id name search shared }
  }
`)

export type DeviceView = NonNullable<ResultOf<typeof VIEWS>['deviceViews']>[number]

/** The saved views of the device list: the person's own, and everyone's. */
export const deviceViewsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['device-views', slug],
    queryFn: async () => (await request(VIEWS, {}, slug)).deviceViews ?? [],
  })

const SAVE = graphql(`
  mutation SaveDeviceView($input: SaveDeviceViewInput!) {
    saveDeviceView(input: $input) { name }
  }
`)

/** A view of the same name is replaced. */
export const saveDeviceView = async (slug: string, input: VariablesOf<typeof SAVE>['input']) =>
  (await mutate(SAVE, { input }, slug)).saveDeviceView

const DELETE = graphql(`
  mutation DeleteDeviceView($id: ID!) {
    deleteDeviceView(id: $id)
  }
`)

export const deleteDeviceView = (slug: string, id: string) => mutate(DELETE, { id }, slug)
