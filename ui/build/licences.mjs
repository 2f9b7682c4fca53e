// Fails when a package of the lock file has a licence that is not listed here.
import { readFileSync } from 'node:fs';

// What the page contains must be compatible with Apache-2.0; what only builds it may be MPL-2.0.
const SHIPPED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
const BUILD_ONLY = new Set([...SHIPPED, 'BlueOak-1.0.0', 'CC0-1.0', 'MPL-2.0', 'Python-2.0']);

/** Returns the licences of which a user of a package may choose one, for example those of (MIT OR CC0-1.0). */
function alternatives(license) {
  return license.replace(/^\((.*)\)$/, '$1').split(' OR ');
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const refused = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, { dev, devOptional, license, optional }]) => ({
    path: path.replace('node_modules/', ''),
    license: license ?? 'none',
    allowed: dev || devOptional || optional ? BUILD_ONLY : SHIPPED,
  }))
  .filter(({ license, allowed }) => !alternatives(license).some((each) => allowed.has(each)));
if (refused.length > 0) {
  throw new Error(refused.map(({ path, license }) => `${path}: licence ${license}`).join('\n'));
}
