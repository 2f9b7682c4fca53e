import { useQuery } from '@tanstack/react-query';
import { samplesOf } from '../api/figures';
import { send } from '../api/client';
import { useLive } from '../api/live';
import { ContributionRows } from '../contributions/ContributionRows';
import { Failure } from '../parts/Failure';
import { Rows } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { useText } from '../text/text';
import { bundlesOf, type BundleRow } from './bundles';

const EVERY_MS = 10_000;

async function readBundles(): Promise<BundleRow[]> {
  const response = await send('../metrics?group=bundle', { headers: { Accept: 'text/plain;version=0.0.4' } });
  return bundlesOf(samplesOf(await response.text()));
}

/** The abilities of each node, and the bundles of the node that serves the page. */
export default function PluginsView() {
  const text = useText();
  const nodes = useLive('nodes');
  const { data, error } = useQuery({ queryKey: ['bundles'], queryFn: readBundles, refetchInterval: ({ state }) => !state.error && EVERY_MS });
  return (
    <View title={text('nav.plugins')}>
      <Part title={text('plugin.nodes')}>
        <Rows
          label={text('plugin.nodes')}
          rows={nodes.items}
          error={nodes.error}
          columns={[
            { title: text('column.node'), cell: ({ metadata }) => metadata.name },
            { title: text('plugin.engines'), cell: ({ status }) => status.engines.join(', ') },
            { title: text('plugin.frontends'), cell: ({ status }) => status.frontends.join(', ') },
          ]}
          keyOf={({ metadata }) => metadata.name}
        />
      </Part>
      <Part title={text('contribution.title')}>
        <ContributionRows />
      </Part>
      <Part title={text('plugin.bundles')}>
        {error ? (
          <Failure error={error} />
        ) : (
          <Rows
            label={text('plugin.bundles')}
            rows={data}
            columns={[
              { title: text('column.name'), cell: ({ bundle }) => bundle },
              { title: text('column.version'), cell: ({ version }) => version },
              { title: text('column.state'), cell: ({ state }) => <StateLabel state={state.toLowerCase()} /> },
              { title: text('plugin.trouble'), cell: ({ trouble }) => trouble },
            ]}
            keyOf={({ bundle, version }) => `${bundle} ${version}`}
          />
        )}
      </Part>
    </View>
  );
}
