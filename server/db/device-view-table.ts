/** A filter, an order and columns of the device list, under a name. */
export interface DeviceViewTable {
  id: string
  organizationId: string
  /** The person who has it; null: everyone in the organization. */
  userId: string | null
  name: string
  nameKey: string
  /** The query string of the address. */
  search: string
  createdAt: number
}
