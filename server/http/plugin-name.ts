/** Names a plugin. Fastify would look for its name in all loaded modules, for each of twenty plugins. */
export const named = <Plugin extends object>(name: string, plugin: Plugin): Plugin =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })
