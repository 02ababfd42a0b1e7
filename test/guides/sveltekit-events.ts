/** Returns a function that returns events of SvelteKit with the fields of a form. They share the cookies of one browser. */
export function createEvents(jar = new Map<string, string>()) {
  return (values: Record<string, string> = {}) => ({
    cookies: {
      get: (name: string) => jar.get(name),
      set: (name: string, value: string) => void jar.set(name, value),
      delete: (name: string) => void jar.delete(name),
    },
    getClientAddress: () => '203.0.113.7',
    request: { formData: async () => new Map(Object.entries(values)) },
  })
}
