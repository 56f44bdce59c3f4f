// The door of the package.
export { carnetDataProvider } from './provider.js';
export type { Settings } from './request.js';
