interface ImportMeta {
  /** Environment variables, which Vite inserts at build time. */
  readonly env: {
    /**
     * Root URL of the Usher server.
     *
     * @default 'http://localhost:3000'
     */
    readonly VITE_USHER_URL?: string
    /** @default 'demo' */
    readonly VITE_USHER_WORKSPACE?: string
    /** @default 'app' */
    readonly VITE_USHER_DATABASE?: string
  }
}
