export default {
  // By default Vite keeps its cache in sdk/node_modules, and a new folder in sdk makes npm start build again.
  cacheDir: '../../node_modules/.vite/example',
  // Sources instead of builds, so that the example needs no build after a change.
  resolve: { conditions: ['@usher/source'] },
}
