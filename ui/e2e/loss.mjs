// A node is lost while its volume is on the screen, and returns.
// loss.mjs ADDRESS DIRECTORY KILL RETURN: programs that kill node 3 and let a client write, and that start node 3 again.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { openStory } from './story.mjs';

const [oneTimeAddress, directory, kill, startAgain] = process.argv.slice(2);
const LOSS_MS = 90_000;
const REBUILD_MS = 300_000;
const { page, row, step, goTo, run } = await openStory(oneTimeAddress, directory);

/** The value beside a title of the volume's facts. */
const fact = (title) => page.locator('.pf-v6-c-description-list__group', { hasText: title }).getByRole('definition');

await run(async () => {
  await step('the volume is healthy on three nodes', async () => {
    await page.goto(oneTimeAddress);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await goTo('volumes/films');
    await fact('Robustness').getByText('healthy', { exact: true }).waitFor();
    await page.getByRole('grid', { name: 'Replicas' }).getByText('node-3', { exact: true }).waitFor();
  });

  await step('the page names the lost node as the reason without a reload', async () => {
    execFileSync(kill);
    await fact('Robustness').getByText('degraded', { exact: true }).waitFor({ timeout: LOSS_MS });
    await fact('Why').getByText(/node-3/).waitFor({ timeout: LOSS_MS });
    console.log(`the reason is: ${await fact('Why').textContent()}`);
    await goTo('overview');
    const troubles = page.getByRole('region', { name: 'What needs attention' });
    await troubles.getByRole('link', { name: 'films' }).waitFor();
    await troubles.getByRole('listitem').filter({ hasText: /^node-3: / }).waitFor({ timeout: LOSS_MS });
    await goTo('volumes/films');
  });

  await step('after the return of the node the rebuild has percent, bytes and rate', async () => {
    // The rebuild may begin before the command returns.
    const started = promisify(execFile)(startAgain);
    const rebuild = page.getByRole('progressbar', { name: /^Rebuild of films-r-\w+: [\d.]+Mi of [\d.]+Mi, [\d.]+[KM]i\/s$/ });
    await rebuild.waitFor({ timeout: REBUILD_MS });
    const percent = Number(await rebuild.getAttribute('aria-valuenow'));
    assert.ok(percent > 0 && percent < 100, `${percent} %`);
    console.log(`the page shows: ${await page.getByText(/^Rebuild of/).textContent()}, ${percent} %`);
    await started;
  });

  await step('the volume becomes healthy, and nothing needs attention', async () => {
    await fact('Robustness').getByText('healthy', { exact: true }).waitFor({ timeout: REBUILD_MS });
    await page.getByText(/^Rebuild of/).waitFor({ state: 'detached' });
    assert.equal(await row('films-r-').filter({ hasText: 'RW' }).count(), 3);
    await goTo('overview');
    await page.getByText('Everything is healthy: 1 volume on 3 nodes.').waitFor({ timeout: LOSS_MS });
  });
});
