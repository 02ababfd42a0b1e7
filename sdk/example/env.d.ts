interface ImportMeta {
  /** Environment variables, which Vite inserts at build time. */
  readonly env: {
    /** Root URL of the Usher server. `http://localhost:3000` by default. */
    readonly VITE_USHER_URL?: string
    /** `demo` by default. */
    readonly VITE_USHER_WORKSPACE?: string
    /** `app` by default. */
    readonly VITE_USHER_DATABASE?: string
  }
}

/** Vite adds style sheets to the page. */
declare module '*.css'
