import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { mutate } from '../../api/client.ts'
import { graphql } from '../../api/graphql.ts'
import { MAX_NAME } from '../../limits.ts'
import { paths } from '../../paths.ts'
import { textOf } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'

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
    await navigate({ href: paths.overview(createOrganization.slug) })
  }
  return (
    <FormDialog title="Create organization" submit="Create organization" onSubmit={create} onClose={onClose}>
      <TextField
        name="name"
        label="Name"
        description="You become its first Admin."
        required
        data-autofocus
        maxLength={MAX_NAME}
      />
    </FormDialog>
  )
}
