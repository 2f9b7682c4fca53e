import { ExpandableSection, Progress } from '@patternfly/react-core';
import { useState } from 'react';
import { useLive } from '../api/live';
import type { HoldfastNode } from '../api/types';
import { Actions } from '../parts/Actions';
import { CheckField, Dialog, TextField } from '../parts/Dialog';
import { Rows } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { useText } from '../text/text';
import { askNode, hasEnded, progressOf, upgradesOf, type Action, type NodeUpgrade } from './upgrades';

interface Wanted {
  node: string;
  action: Action;
}

/** Prompts for the source of a plan or an upgrade. A rollback needs none. */
function Ask({ node, action, close }: Wanted & { close: () => void }) {
  const text = useText();
  const [source, setSource] = useState('');
  const [restart, setRestart] = useState(false);
  return (
    <Dialog
      title={text(action === 'ROLLBACK' ? 'upgrade.rollbackTitle' : action === 'PLAN' ? 'upgrade.planTitle' : 'upgrade.applyTitle', { node })}
      submit={text(action === 'ROLLBACK' ? 'upgrade.rollback' : action === 'PLAN' ? 'upgrade.plan' : 'upgrade.apply')}
      danger={action !== 'PLAN'}
      close={close}
      act={() => askNode(node, action, source, restart)}
    >
      {action !== 'ROLLBACK' && <TextField label={text('upgrade.source')} value={source} change={setSource} required />}
      {action !== 'PLAN' && <CheckField label={text('upgrade.restart')} value={restart} change={setRestart} />}
    </Dialog>
  );
}

function UpgradeOf({ upgrade }: { upgrade: NodeUpgrade }) {
  const text = useText();
  const { done, all, running } = progressOf(upgrade);
  return (
    <Part title={`${upgrade.node}: ${upgrade.source}`}>
      <p>
        <StateLabel state={upgrade.state} /> {upgrade.started} {upgrade.ended} {upgrade.reason}
      </p>
      {!hasEnded(upgrade) && (
        <Progress title={running ? text('upgrade.replacing', { bundle: running }) : text('upgrade.steps')} value={done} max={Math.max(all, 1)} />
      )}
      <ExpandableSection toggleText={`${text('upgrade.steps')} (${done}/${all})`}>
        <Rows
          label={`${text('upgrade.steps')}: ${upgrade.node} ${upgrade.id}`}
          rows={upgrade.steps}
          columns={[
            { title: text('upgrade.bundle'), cell: ({ bundle }) => bundle },
            { title: text('upgrade.from'), cell: ({ versionBefore }) => versionBefore },
            { title: text('upgrade.to'), cell: ({ version }) => version },
            { title: text('upgrade.way'), cell: ({ way }) => way },
            { title: text('upgrade.pause'), cell: ({ pause }) => pause },
            { title: text('column.state'), cell: ({ state }) => <StateLabel state={state} /> },
          ]}
          keyOf={({ bundle }) => bundle}
        />
      </ExpandableSection>
    </Part>
  );
}

/** Upgrades of the nodes: plan, progress and rollback. */
export default function UpgradesView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('nodes');
  const [wanted, setWanted] = useState<Wanted>();
  const upgrades = items?.flatMap(upgradesOf) ?? [];

  function actions({ metadata: { name } }: HoldfastNode) {
    const action = (kind: Action, label: string, danger = false) => ({ label, danger, run: () => setWanted({ node: name, action: kind }) });
    return (
      <Actions
        label={text('table.actions', { name })}
        actions={[
          action('PLAN', text('upgrade.plan')),
          action('APPLY', text('upgrade.apply'), true),
          action('ROLLBACK', text('upgrade.rollback'), true),
        ]}
      />
    );
  }

  return (
    <View title={text('nav.upgrades')}>
      <p className="holdfast-toolbar">{text('upgrade.help')}</p>
      <Rows
        label={text('nav.upgrades')}
        rows={items}
        error={error}
        columns={[
          { title: text('column.node'), cell: ({ metadata }) => metadata.name },
          { title: text('column.version'), cell: ({ status }) => status.version },
          { title: text('upgrade.last'), cell: (node) => <StateLabel state={upgradesOf(node)[0]?.state ?? ''} /> },
        ]}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && { actions })}
      />
      {upgrades.map((upgrade) => (
        <UpgradeOf key={`${upgrade.node} ${upgrade.id}`} upgrade={upgrade} />
      ))}
      {wanted && <Ask {...wanted} close={() => setWanted(undefined)} />}
    </View>
  );
}
