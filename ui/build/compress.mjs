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

const index = readFileSync(join(FROM, 'index.html'), 'utf8');
const first = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map((match) => match[1]);
const total = first.reduce((sum, path) => sum + compressed.get(path), 0);
if (first.length === 0 || total > LARGEST_FIRST_VIEW) {
  throw new Error(`the scripts of the first view have ${total} bytes, ${LARGEST_FIRST_VIEW} are allowed`);
}
const version = createHash('sha256').update(paths.join('\n')).digest('hex').slice(0, 12);
console.log(`page ${version}: ${paths.length} files, scripts of the first view ${total} bytes`);
