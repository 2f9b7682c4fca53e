// A contribution that was built outside the tree, against a real node.
// archetype.mjs ADDRESS DIRECTORY REPLACE REMOVE: programs that replace its bundle by a second version, and remove it.
import { execFileSync } from 'node:child_process';
import { openStory } from './story.mjs';

const [oneTimeAddress, directory, replace, remove] = process.argv.slice(2);
const { page, row, step, goTo, run } = await openStory(oneTimeAddress, directory);
const card = (title) => page.getByRole('region', { name: title, exact: true });

await run(async () => {
  await step('the contribution shows its card, its tab and its column', async () => {
    await page.goto(oneTimeAddress);
    await card('Largest volumes').getByText('large: 128Mi').waitFor();
    await goTo('volumes/large');
    await page.getByRole('tab', { name: 'Share' }).click();
    await page.getByText(/^\d+ % of .* in all volumes\.$/).waitFor();
    await goTo('volumes');
    await row('large').locator('td[data-label="Share"]').getByText(/^\d+ %$/).waitFor();
  });

  await step('its form changes the number of volumes on the card', async () => {
    await goTo('settings');
    const form = card('Number of largest volumes');
    await form.getByLabel('Volumes on the card').fill('1');
    await form.getByRole('button', { name: 'Save' }).click();
    await row('.shown').getByText('1', { exact: true }).waitFor();
  });

  await step('the second version of the bundle is shown without a reload', async () => {
    await goTo('overview');
    execFileSync(replace);
    await card('Volumes by size').getByText('large: 128Mi').waitFor();
    await card('Largest volumes').waitFor({ state: 'detached' });
  });

  await step('the card leaves with its bundle', async () => {
    execFileSync(remove);
    await card('Volumes by size').waitFor({ state: 'detached' });
  });
});
