import { expect, test } from 'vitest';
import { samplesOf } from '../api/figures';
import { bundlesOf } from './bundles';

test('bundles with trouble come first, with its kinds', () => {
  const rows = bundlesOf(
    samplesOf(`holdfast_bundle_info{bundle="a.good",version="1.0",state="ACTIVE"} 1
holdfast_bundle_info{bundle="z.bad",version="2.0",state="RESOLVED"} 1
holdfast_plugin_trouble{bundle="z.bad",kind="hangs"} 1.0
holdfast_plugin_trouble{bundle="z.bad",kind="fails"} 0.0
`),
  );
  expect(rows.map(({ bundle, trouble }) => `${bundle}:${trouble}`)).toEqual(['z.bad:hangs', 'a.good:']);
});
