import { AppError } from './app-error.ts'

export const tooLarge = (mostBytes: number, why = '.') =>
  new AppError('PAYLOAD_TOO_LARGE', {
    message: `The request is too large: at most ${Math.floor(mostBytes / 1024)} KiB${why}`,
  })
