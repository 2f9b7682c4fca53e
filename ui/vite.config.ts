import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// Addresses are relative, so that the page works below any path prefix of a proxy.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: 'target/page',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy permits no data: addresses for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 1500,
  },
  test: {
    environment: 'node',
    include: ['src/page/**/*.test.{ts,tsx}'],
    reporters: ['default', ['junit', { outputFile: 'target/surefire-reports/TEST-page.xml' }]],
    css: false,
    server: { deps: { inline: [/@patternfly\/.*/] } },
  },
});
