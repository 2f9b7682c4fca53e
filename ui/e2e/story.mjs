// What the stories of this folder share: a browser with a page, its steps, and what must not happen in it.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const LIMIT_MS = 20_000;

/** Opens a browser for a story that begins at a one-time address. Pictures of failures go to a directory. */
export async function openStory(oneTimeAddress, directory) {
  mkdirSync(directory, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
  });
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const problems = [];
  const foreign = [];
  // Another test of the run may add interfaces to the host; Chromium then repeats its requests.
  const expected = [/status of (401|403|409|422)|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED/];
  const origins = [new URL(oneTimeAddress).origin];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser also logs the refusals and the cut connections that a story provokes.
    if (message.type() === 'error' && !expected.some((pattern) => pattern.test(message.text()))) {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    if (!origins.includes(new URL(request.url()).origin) && !request.url().startsWith('data:')) {
      foreign.push(request.url());
    }
  });

  const dialog = () => page.getByRole('dialog');
  return {
    browser,
    context,
    page,
    button: (name) => page.getByRole('button', { name, exact: true }),
    dialog,
    row: (name) => page.getByRole('row').filter({ hasText: name }),

    /** Keeps a picture of the window for the documents. */
    screen: (name) => page.screenshot({ path: join(directory, 'screens', `${name}.png`), animations: 'disabled' }),

    /** Permits errors in the console. */
    expect: (pattern) => expected.push(pattern),

    /** Permits requests to another origin. */
    allow: (origin) => origins.push(origin),

    async step(name, action) {
      const began = Date.now();
      try {
        await action();
        console.log(`passed ${name} (${Date.now() - began} ms)`);
      } catch (error) {
        await page.screenshot({ path: join(directory, 'failure.png'), fullPage: true }).catch(() => undefined);
        throw new Error(`${name}: ${error.message}`, { cause: error });
      }
    },

    async goTo(view) {
      await page.evaluate((hash) => {
        window.location.hash = hash;
      }, `#/${view}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(() => document.querySelector('[role="progressbar"][aria-label="Loading"]') === null);
    },

    async chooseAction(name, action) {
      await page.getByRole('button', { name: `Actions of ${name}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    },

    /** Opens a view in a session of its own, and returns its page; the caller closes its context. */
    async signInByToken(token, view) {
      const own = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US', viewport: { width: 1280, height: 900 } });
      own.setDefaultTimeout(LIMIT_MS);
      const other = await own.newPage();
      await other.goto(`${oneTimeAddress.replace(/#.*/, '')}#/${view}`);
      await other.getByLabel('Token').fill(token);
      await other.getByRole('button', { name: 'Sign in', exact: true }).click();
      await other.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();
      return other;
    },

    /** Waits until a predicate, which the page runs, is true. */
    async becomes(what, predicate, limit = LIMIT_MS) {
      const end = Date.now() + limit;
      while (!(await page.evaluate(predicate))) {
        assert.ok(Date.now() < end, `not within ${limit} ms: ${what}`);
        await page.waitForTimeout(100);
      }
    },

    /** Runs the story, and closes the browser; a failure is the exit code of the program. */
    async run(steps) {
      try {
        await steps();
        assert.deepEqual(foreign, [], 'requests that left the origin');
        assert.deepEqual(problems, [], 'errors in the console');
      } catch (error) {
        console.error(`FAILED ${error.message}`);
        console.error(problems.join('\n'));
        process.exitCode = 1;
      } finally {
        await browser.close();
      }
    },
  };
}
