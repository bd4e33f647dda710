import { Badge, Text } from '@mantine/core'

/** What the schema says of something; what is between backticks is code. */
export const Described = ({ description, deprecated }: { description: string; deprecated?: string }) => (
  <>
    {deprecated !== undefined && (
      <Text size="sm" component="div">
        <Badge variant="default" size="sm" radius="sm" tt="none" className="warning">
          Deprecated
        </Badge>{' '}
        <WithCode text={deprecated} />
      </Text>
    )}
    {description !== '' && (
      <Text size="sm">
        <WithCode text={description} />
      </Text>
    )}
  </>
)

const WithCode = ({ text }: { text: string }) =>
  text
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that does not change
    .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
