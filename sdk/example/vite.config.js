// By default Vite keeps its cache in sdk/node_modules, and a new folder in sdk makes npm start build again.
export default { cacheDir: '../../node_modules/.vite/example' }
