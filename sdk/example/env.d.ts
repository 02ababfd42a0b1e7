interface ImportMeta {
  /** What Vite puts in from the environment. */
  readonly env: {
    /** Where Usher is served; `http://localhost:3000` by default. */
    readonly VITE_USHER_URL?: string
    /** `demo` by default. */
    readonly VITE_USHER_WORKSPACE?: string
    /** `app` by default. */
    readonly VITE_USHER_DATABASE?: string
  }
}
