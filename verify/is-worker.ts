/** In a Cloudflare Worker, a request cannot await a fetch of another one, and cancels its own fetches when it ends. */
export const isWorker = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers'
