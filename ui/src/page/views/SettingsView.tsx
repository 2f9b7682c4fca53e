import { Button } from '@patternfly/react-core';
import { useState } from 'react';
import { useLive } from '../api/live';
import { setSetting, unsetSetting } from '../api/settings';
import type { Setting } from '../api/types';
import { SettingForms } from '../contributions/SettingForms';
import { Actions } from '../parts/Actions';
import { Dialog, TextField } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { View } from '../parts/View';
import { useText } from '../text/text';

function SetSetting({ setting, close }: { setting: Setting | undefined; close: () => void }) {
  const text = useText();
  const [name, setName] = useState(setting?.metadata.name ?? '');
  const [value, setValue] = useState(setting?.spec.value ?? '');
  return (
    <Dialog title={text('settings.setTitle')} submit={text('settings.set')} close={close} act={() => setSetting(name, value)}>
      {(refusal) => (
        <>
          <TextField label={text('settings.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <TextField label={text('column.value')} value={value} change={setValue} required problem={refusal?.about('spec.value')} />
        </>
      )}
    </Dialog>
  );
}

/** The settings that differ from their default. */
export default function SettingsView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('settings');
  const [editing, setEditing] = useState<{ setting: Setting | undefined }>();
  const [removing, setRemoving] = useState<Setting>();
  const columns: Column<Setting>[] = [
    { title: text('settings.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.value'), cell: ({ spec }) => spec.value },
  ];
  return (
    <View
      title={text('nav.settings')}
      actions={canWrite && <Button onClick={() => setEditing({ setting: undefined })}>{text('settings.setTitle')}</Button>}
    >
      <p className="holdfast-toolbar">{text('settings.help')}</p>
      <Rows
        label={text('nav.settings')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (setting: Setting) => (
            <Actions
              label={text('table.actions', { name: setting.metadata.name })}
              actions={[
                { label: text('settings.set'), run: () => setEditing({ setting }) },
                { label: text('settings.unset'), danger: true, run: () => setRemoving(setting) },
              ]}
            />
          ),
        })}
      />
      <SettingForms items={items} canChange={canWrite} />
      {editing && <SetSetting setting={editing.setting} close={() => setEditing(undefined)} />}
      {removing && (
        <Dialog
          title={text('settings.unsetTitle', { name: removing.metadata.name })}
          submit={text('settings.unset')}
          danger
          close={() => setRemoving(undefined)}
          act={() => unsetSetting(removing)}
        />
      )}
    </View>
  );
}
