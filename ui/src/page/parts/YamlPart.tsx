import { Button, ExpandableSection } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useState } from 'react';
import { parse, stringify } from 'yaml';
import { ApiError, CONFLICT, get, patch, tryPatch } from '../api/client';
import type { Plural, Resource } from '../api/types';
import { useText } from '../text/text';
import { Dialog, LongTextField, MORE } from './Dialog';
import { changedFields, collisions, patchBetween, patched, type FieldChange, type Json, type JsonObject } from './mergePatch';

const ROWS = 20;

/** Returns the fields that a user may change, without the status and the metadata that the API maintains. */
function editable({ apiVersion, kind, metadata, ...rest }: Resource & { spec?: object }): JsonObject {
  const { name, labels = {}, annotations = {} } = metadata;
  return { apiVersion, kind, metadata: { name, labels, annotations }, spec: rest.spec ?? {} } as JsonObject;
}

function shown(value: Json | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the fields of a text; undefined if it has none. Throws if the text is not YAML. */
function parsed(yaml: string): JsonObject | undefined {
  const value = parse(yaml) as Json;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

interface Checked {
  change: JsonObject;
  version: string;
  fields: FieldChange[];
}

interface Props {
  plural: Plural;
  resource: Resource;
}

function Changes({ fields }: { fields: FieldChange[] }) {
  const text = useText();
  return (
    <Table aria-label={text('yaml.changes')} variant="compact">
      <Thead>
        <Tr>
          <Th>{text('yaml.field')}</Th>
          <Th>{text('yaml.before')}</Th>
          <Th>{text('yaml.after')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {fields.map(({ path, before, after }) => (
          <Tr key={path}>
            <Td>{path}</Td>
            <Td>{shown(before)}</Td>
            <Td>{shown(after)}</Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

/** Editor of a resource. The API checks a change first, and changes of other clients are shown. */
function EditYaml({ plural, resource, close }: Props & { close: () => void }) {
  const text = useText();
  const { name } = resource.metadata;
  const [opened, setOpened] = useState(() => editable(resource));
  const [yaml, setYaml] = useState(() => stringify(opened));
  const [checked, setChecked] = useState<Checked>();

  async function check(): Promise<typeof MORE> {
    const wanted = parsed(yaml);
    if (!wanted) {
      throw new Error(text('yaml.notResource'));
    }
    const change = patchBetween(opened, wanted);
    if (Object.keys(change).length === 0) {
      throw new Error(text('yaml.unchanged'));
    }
    const found = await get(plural, name);
    const now = editable(found);
    const both = collisions(patchBetween(opened, now), change);
    setOpened(now);
    setYaml(stringify(patched(now, change)));
    if (both.length > 0) {
      const [{ path, theirs, yours }] = both as [(typeof both)[0]];
      throw new ApiError(CONFLICT, 'Conflict', text('form.conflict', { name: `${name} ${path}`, theirs: shown(theirs), yours: shown(yours) }));
    }
    const version = found.metadata.resourceVersion ?? '';
    const result = await tryPatch(plural, name, change, version);
    setChecked({ change, version, fields: changedFields(now, patchBetween(now, editable(result))) });
    return MORE;
  }

  async function save({ change, version }: Checked): Promise<unknown> {
    try {
      return await patch(plural, name, change, version);
    } catch (refusal) {
      if (refusal instanceof ApiError && refusal.code === CONFLICT) {
        // Another client changed the resource first. The next check shows its change.
        setChecked(undefined);
      }
      throw refusal;
    }
  }

  return (
    <Dialog
      title={text('yaml.editTitle', { name })}
      submit={text(checked ? 'yaml.save' : 'yaml.check')}
      wide
      close={close}
      act={() => (checked ? save(checked) : check())}
    >
      <LongTextField
        label={text('volume.yaml')}
        value={yaml}
        rows={ROWS}
        change={(next) => {
          setYaml(next);
          setChecked(undefined);
        }}
      />
      {checked && <Changes fields={checked.fields} />}
    </Dialog>
  );
}

/** A resource as YAML. Users with the right can edit it. */
export function YamlPart({ plural, resource, canWrite }: Props & { canWrite: boolean }) {
  const text = useText();
  const [editing, setEditing] = useState(false);
  return (
    <ExpandableSection toggleText={text('volume.yaml')} className="holdfast-part">
      {canWrite && (
        <Button variant="secondary" onClick={() => setEditing(true)}>
          {text('yaml.edit')}
        </Button>
      )}
      <pre className="holdfast-yaml" tabIndex={0} aria-label={text('volume.yaml')} role="region">
        {stringify(resource)}
      </pre>
      {editing && <EditYaml plural={plural} resource={resource} close={() => setEditing(false)} />}
    </ExpandableSection>
  );
}
