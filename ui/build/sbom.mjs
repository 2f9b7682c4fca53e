// Writes the bill of materials (CycloneDX) of the packages that the page contains.
// sbom.mjs PACKAGES FILE: their keys in the lock file, as the build lists them; nothing in FILE depends on time or place.
import { readFileSync, writeFileSync } from 'node:fs';

const [packagesFile, target] = process.argv.slice(2);
const { name, version, license, description } = JSON.parse(readFileSync('package.json', 'utf8'));
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

function purl(component, number) {
  return `pkg:npm/${component.replace('@', '%40')}@${number}`;
}

function component(key) {
  const found = packages[key];
  if (!found) {
    throw new Error(`${key}: the page contains it, and the lock file does not`);
  }
  const called = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const reference = purl(called, found.version);
  const digest = Buffer.from(found.integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': reference,
    name: called,
    version: found.version,
    purl: reference,
    hashes: [{ alg: 'SHA-512', content: digest }],
    licenses: [{ license: { id: found.license } }],
  };
}

const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: { type: 'application', 'bom-ref': purl(name, version), name, version, description, licenses: [{ license: { id: license } }] },
  },
  components: JSON.parse(readFileSync(packagesFile, 'utf8')).map(component),
};
writeFileSync(target, `${JSON.stringify(bill, undefined, 2)}\n`);
