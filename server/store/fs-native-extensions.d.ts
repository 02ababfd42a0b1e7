declare module 'fs-native-extensions' {
  /** Requests an exclusive lock on a file (flock or fcntl OFD lock). Returns whether it was granted. */
  export function tryLock(fd: number): boolean
}
