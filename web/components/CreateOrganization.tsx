import { Button, Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { mutate } from '../api/client.ts'
import { graphql } from '../api/graphql.ts'
import { paths } from '../paths.ts'
import { Form, textOf } from '../ui/Form.tsx'
import { TextField } from '../ui/fields.tsx'

const CREATE = graphql(`
  mutation CreateOrganization($name: String!) {
    createOrganization(name: $name) { slug }
  }
`)

/** On its own, so that it is loaded when it is wanted. */
export default function CreateOrganization({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const create = async (values: FormData) => {
    const { createOrganization } = await mutate(CREATE, { name: textOf(values, 'name') ?? '' })
    await queryClient.invalidateQueries({ queryKey: ['viewer'] })
    onClose()
    await navigate({ href: paths.devices(createOrganization.slug) })
  }
  return (
    <Modal opened onClose={onClose} title="Create organization" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Form
        onSubmit={create}
        submit="Create organization"
        beside={
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        }
      >
        <TextField
          name="name"
          label="Name"
          description="You become its first Admin."
          required
          data-autofocus
          maxLength={80}
        />
      </Form>
    </Modal>
  )
}
