// Compresses the built files, lists them, and fails when the scripts of the first view grow too large.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const FROM = 'target/page';
const TO = 'target/compressed';
const LARGEST_FIRST_VIEW = 350 * 1024;

function filesBelow(directory) {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
    .sort();
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

rmSync(TO, { recursive: true, force: true });
const paths = filesBelow(FROM).map((path) => relative(FROM, path));

// Names of files contain hashes of their contents, so that the names tell the version of the page.
const version = createHash('sha256').update(paths.join('\n')).digest('hex').slice(0, 12);
const indexFile = join(FROM, 'index.html');
const index = readFileSync(indexFile, 'utf8').replace('%PAGE_VERSION%', version);
writeFileSync(indexFile, index);
const importMap = /<script type="importmap">([^<]*)<\/script>/.exec(index)?.[1];
if (importMap === undefined) {
  throw new Error('index.html has no import map');
}

const compressed = new Map();
for (const path of paths) {
  const content = readFileSync(join(FROM, path));
  const gzip = gzipSync(content, { level: 9 });
  compressed.set(path, gzip.length);
  write(join(TO, `${path}.gz`), gzip);
  write(
    join(TO, `${path}.br`),
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  );
}
write(join(TO, 'files.list'), paths.map((path) => `${path}\n`).join(''));

write(join(TO, 'version'), `${version}\n`);
// By this source expression the content security policy permits the import map, and no other inline script.
write(join(TO, 'import-map.sha256'), `'sha256-${createHash('sha256').update(importMap).digest('base64')}'\n`);

const first = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map((match) => match[1]);
const total = first.reduce((sum, path) => sum + compressed.get(path), 0);
if (first.length === 0 || total > LARGEST_FIRST_VIEW) {
  throw new Error(`the scripts of the first view have ${total} bytes, ${LARGEST_FIRST_VIEW} are allowed`);
}
console.log(`page ${version}: ${paths.length} files, scripts of the first view ${total} bytes`);
