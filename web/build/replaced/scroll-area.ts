import { Box } from '@mantine/core'

/** Dialogs and tables import Mantine's ScrollArea to compare with it, or to offer it; ours scroll as the browser does. */
export const ScrollArea = Object.assign(Box, { Autosize: 'autosize' })
