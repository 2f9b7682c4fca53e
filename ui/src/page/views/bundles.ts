import type { Sample } from '../api/figures';

export interface BundleRow {
  bundle: string;
  version: string;
  state: string;
  trouble: string;
}

/** Returns the bundles with their faults. Bundles with faults come first. */
export function bundlesOf(samples: Sample[]): BundleRow[] {
  const troubles = samples.filter(({ name, value }) => name === 'holdfast_plugin_trouble' && value > 0);
  return samples
    .filter(({ name }) => name === 'holdfast_bundle_info')
    .map(({ labels: { bundle = '', version = '', state = '' } }) => ({
      bundle,
      version,
      state,
      trouble: troubles
        .filter(({ labels }) => labels['bundle'] === bundle)
        .map(({ labels }) => labels['kind'] ?? '')
        .join(', '),
    }))
    .sort((a, b) => Number(b.trouble !== '') - Number(a.trouble !== '') || (a.bundle < b.bundle ? -1 : 1));
}
