/** Stands in for `svelte`: a component is in the page as soon as its script runs. */
export const onMount = (mounted: () => unknown) => void mounted()
