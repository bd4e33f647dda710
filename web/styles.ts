import '@mantine/core/styles.layer.css' // in a layer, so that ours win wherever they stand
import '@mantine/notifications/styles.layer.css'
import './ui/fonts.css'
import './ui/parts.css'
import './portal.css'
