import react from '@vitejs/plugin-react';
import { writeFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// What contributions of plugins import, and the module of the page that it is.
const SHARED: Record<string, string> = {
  react: 'src/page/sdk/react.ts',
  'react/jsx-runtime': 'src/page/sdk/jsxRuntime.ts',
  'react-dom': 'src/page/sdk/reactDom.ts',
  '@holdfast/page-sdk': 'src/page/sdk/pageSdk.ts',
};

/** Writes the import map, by which a contribution uses the React and the SDK of the page. */
function importMap(): Plugin {
  return {
    name: 'import-map',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        const imports = Object.fromEntries(
          Object.entries(SHARED).map(([name, source]) => {
            const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${source}`));
            if (!chunk) {
              throw new Error(`the build made no module of ${source}`);
            }
            return [name, `./${chunk.fileName}`];
          }),
        );
        return { html, tags: [{ tag: 'script', attrs: { type: 'importmap' }, children: JSON.stringify({ imports }), injectTo: 'head-prepend' }] };
      },
    },
  };
}

/** Writes the packages whose files the page contains, by their keys in the lock file. */
function packagesList(): Plugin {
  return {
    name: 'packages-list',
    apply: 'build',
    generateBundle() {
      const packages = [...this.getModuleIds()].flatMap((id) => /node_modules(?:\/@[^/]+)?\/[^/]+(?:\/node_modules(?:\/@[^/]+)?\/[^/]+)*/.exec(id) ?? []);
      writeFileSync('target/packages.json', JSON.stringify([...new Set(packages)].sort()));
    },
  };
}

// Addresses are relative, so that the page works below any path prefix of a proxy.
export default defineConfig({
  base: './',
  plugins: [react(), importMap(), packagesList()],
  build: {
    outDir: 'target/page',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy permits no data: addresses for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      input: ['index.html', ...Object.values(SHARED)],
      preserveEntrySignatures: 'exports-only',
    },
  },
  test: {
    environment: 'node',
    include: ['src/page/**/*.test.{ts,tsx}'],
    reporters: ['default', ['junit', { outputFile: 'target/surefire-reports/TEST-page.xml' }]],
    css: false,
    testTimeout: 60_000,
    server: { deps: { inline: [/@patternfly\/.*/] } },
  },
});
