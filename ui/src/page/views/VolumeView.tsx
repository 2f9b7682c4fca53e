import { Button, Flex, Progress } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { list } from '../api/client';
import { useLive } from '../api/live';
import { shortSize, sizeText } from '../api/quantity';
import type { Volume } from '../api/types';
import { ResourceTabs } from '../contributions/Contributed';
import { Facts } from '../parts/InfoDialog';
import { lazyPart } from '../parts/lazyPart';
import { Rows } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { YamlPart } from '../parts/YamlPart';
import { useText, type TextFunction } from '../text/text';
import { DeletedVolumes } from './DeletedVolumes';
import { EventRows } from './EventRows';
import { rebuildsOf, type RebuildSample } from './rebuilds';
import { Snapshots } from './Snapshots';
import { useVolumeActions } from './volumeActions';
import { ticketStates, why } from './why';

const ENGINE_EVERY_MS = 3000;

const VolumeCharts = lazyPart(() => import('./VolumeCharts'));

function rebuildTitle({ name, copied, total, rate }: RebuildSample['rebuilds'][number], text: TextFunction): string {
  const sizes = { name, copied: sizeText(copied), total: sizeText(total) };
  return rate === undefined ? text('volume.rebuild', sizes) : text('volume.rebuildRate', { ...sizes, rate: sizeText(rate) });
}

function Replicas({ volume }: { volume: Volume }) {
  const text = useText();
  const { name } = volume.metadata;
  // An engine rebuilds replicas only while the volume is degraded.
  const { data: sample } = useQuery({
    queryKey: ['rebuilds', name],
    queryFn: async ({ client, queryKey }) => {
      const { items } = await list('engines');
      const engine = items.find(({ spec }) => spec.volume === name);
      return rebuildsOf(engine, Date.now(), client.getQueryData<RebuildSample>(queryKey));
    },
    refetchInterval: ENGINE_EVERY_MS,
    enabled: volume.status.robustness !== 'healthy',
  });
  const rebuilds = volume.status.robustness === 'healthy' ? [] : (sample?.rebuilds ?? []);
  return (
    <Part title={text('column.replicas')}>
      <Rows
        label={text('column.replicas')}
        rows={volume.status.replicas}
        columns={[
          { title: text('column.name'), cell: ({ name }) => name },
          { title: text('column.node'), cell: ({ nodeID }) => nodeID },
          { title: text('column.disk'), cell: ({ diskID, diskUUID }) => diskID || diskUUID },
          { title: text('column.mode'), cell: ({ mode }) => <StateLabel state={mode} /> },
        ]}
        keyOf={({ name }) => name}
      />
      {rebuilds.map((rebuild) => (
        <Progress key={rebuild.name} title={rebuildTitle(rebuild, text)} value={rebuild.progress} />
      ))}
    </Part>
  );
}

function Tickets({ volume }: { volume: Volume }) {
  const text = useText();
  const { items } = useLive('volumeattachments');
  const tickets = items && ticketStates(items.find(({ metadata }) => metadata.name === volume.metadata.name));
  return (
    <Part title={text('volume.tickets')}>
      {tickets?.length === 0 ? (
        <p>{text('volume.noTickets')}</p>
      ) : (
        <Rows
          label={text('volume.tickets')}
          rows={tickets}
          columns={[
            { title: text('column.ticket'), cell: ({ ticket }) => ticket.id },
            { title: text('column.type'), cell: ({ ticket }) => ticket.type },
            { title: text('column.wants'), cell: ({ ticket }) => ticket.nodeID || text('volume.anyNode') },
            { title: text('column.state'), cell: ({ satisfied }) => text(satisfied ? 'volume.satisfied' : 'volume.waiting') },
            { title: text('column.reason'), cell: ({ reason }) => reason },
            { title: text('column.message'), cell: ({ message }) => message },
          ]}
          keyOf={({ ticket }) => ticket.id}
        />
      )}
    </Part>
  );
}

function Details({ volume, canWrite }: { volume: Volume; canWrite: boolean }) {
  const text = useText();
  const { items: attachments } = useLive('volumeattachments');
  const { actionsOf, dialog } = useVolumeActions(text);
  const attachment = attachments?.find(({ metadata }) => metadata.name === volume.metadata.name);
  const { spec, status, metadata } = volume;
  const buttons = canWrite && (
    <Flex>
      {actionsOf(volume, attachment).map(({ label, run, danger }) => (
        <Button key={label} variant={danger ? 'danger' : 'secondary'} onClick={run}>
          {label}
        </Button>
      ))}
    </Flex>
  );
  return (
    <View title={metadata.name} actions={buttons}>
      <ResourceTabs kind="volumes" resource={volume}>
        <Facts
          horizontal
          facts={[
            [text('volume.why'), why(volume, attachment, text)],
            [text('column.state'), <StateLabel key="s" state={metadata.deletionTimestamp ? 'deleting' : status.state} />],
            [text('column.robustness'), <StateLabel key="r" state={status.robustness} />],
            [text('column.size'), spec.size],
            [text('volume.used'), shortSize(status.actualSize)],
            [text('column.node'), status.currentNodeID],
            [text('volume.endpoint'), status.endpoint],
            [text('column.engine'), spec.dataEngine],
            [text('volume.frontend'), spec.frontend],
            [text('volume.image'), spec.backingImage || text('volume.noImage')],
          ]}
        />
        <Tickets volume={volume} />
        <Replicas volume={volume} />
        <Snapshots volume={volume} canWrite={canWrite} />
        <Part title={text('chart.title')}>
          <Suspense fallback={text('app.loading')}>
            <VolumeCharts volume={volume} />
          </Suspense>
        </Part>
        <Part title={text('volume.events')}>
          <EventRows of={{ kind: 'Volume', name: metadata.name }} />
        </Part>
        <YamlPart plural="volumes" resource={volume} canWrite={canWrite} />
      </ResourceTabs>
      {dialog}
    </View>
  );
}

/** All details of one volume. */
export default function VolumeView({ name, canWrite }: { name: string; canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('volumes');
  const volume = items?.find(({ metadata }) => metadata.name === name);
  if (volume) {
    return <Details volume={volume} canWrite={canWrite} />;
  }
  return (
    <View title={name}>
      {items && !error ? (
        <>
          <p>{text('volume.gone', { name })}</p>
          <DeletedVolumes isShown={(deleted) => deleted === name} canWrite={canWrite} />
        </>
      ) : (
        <Rows label={name} rows={undefined} error={error} columns={[]} keyOf={String} />
      )}
    </View>
  );
}
