import { Button, ClipboardCopy } from '@patternfly/react-core';
import { useState } from 'react';
import { create, remove } from '../api/client';
import { useLive } from '../api/live';
import { ageText } from '../api/quantity';
import { hashOf, newToken } from '../api/tokenSecret';
import type { AccessBinding, AccessRole, AccessRule, AccessToken, Plural } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { ChoiceField, Dialog, MORE, TextField, TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { Part, View } from '../parts/View';
import { useText } from '../text/text';

const BUILT_IN_ROLES = ['view', 'operate', 'admin', 'metrics', 'support'];
const DAY_MS = 86_400_000;

function rolesOf(items: AccessRole[] | undefined): { value: string; label: string }[] {
  return [...BUILT_IN_ROLES, ...(items ?? []).map(({ metadata }) => metadata.name)].map((each) => ({ value: each, label: each }));
}

/** Returns the time after a number of days in the form of the API; undefined without a number. */
function endAfter(days: string): string | undefined {
  return days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Creates a token and shows it once. */
function CreateToken({ roles, close }: { roles: AccessRole[] | undefined; close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [role, setRole] = useState('view');
  const [days, setDays] = useState('90');
  const [description, setDescription] = useState('');
  const [token, setToken] = useState<string>();

  async function act(): Promise<unknown> {
    if (token) {
      return undefined;
    }
    const made = newToken();
    const expiresAt = endAfter(days);
    await create('accesstokens', name, { role, description, secretHash: await hashOf(made), ...(expiresAt ? { expiresAt } : {}) });
    setToken(made);
    return MORE;
  }

  return (
    <Dialog title={text('access.createToken')} submit={text(token ? 'access.kept' : 'access.createToken')} close={close} act={act}>
      {(refusal) =>
        token ? (
          <>
            <p>{text('access.once', { name })}</p>
            <ClipboardCopy isReadOnly hoverTip={text('access.copy')} clickTip={text('access.copied')} textAriaLabel={text('access.token')}>
              {token}
            </ClipboardCopy>
          </>
        ) : (
          <>
            <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
            <ChoiceField label={text('access.role')} value={role} change={setRole} options={rolesOf(roles)} />
            <TextField label={text('access.days')} type="number" value={days} change={setDays} problem={refusal?.about('spec.expiresAt')} />
            <TextField
              label={text('access.description')}
              value={description}
              change={setDescription}
              problem={refusal?.about('spec.description')}
            />
          </>
        )
      }
    </Dialog>
  );
}

function namesIn(value: string): string[] {
  return value.split(/[\s,]+/).filter((each) => each !== '');
}

function CreateBinding({ roles, close }: { roles: AccessRole[] | undefined; close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [role, setRole] = useState('view');
  const [users, setUsers] = useState('');
  const [groups, setGroups] = useState('');
  const act = () => create('accessbindings', name, { role, users: namesIn(users), groups: namesIn(groups) });
  return (
    <Dialog title={text('access.createBinding')} submit={text('access.createBinding')} close={close} act={act}>
      {(refusal) => (
        <>
          <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField label={text('access.role')} value={role} change={setRole} options={rolesOf(roles)} />
          <TextField label={text('access.users')} value={users} change={setUsers} problem={refusal?.about('spec.users')} />
          <TextField label={text('access.groups')} value={groups} change={setGroups} problem={refusal?.about('spec.groups')} />
        </>
      )}
    </Dialog>
  );
}

function ruleText({ verbs, kinds, names, paths }: AccessRule): string {
  return `${verbs.join(', ')}: ${[...kinds, ...paths].join(', ')}${names.length > 0 ? ` (${names.join(', ')})` : ''}`;
}

interface Removal {
  plural: Plural;
  name: string;
  uid: string | undefined;
}

type Open = { create: 'token' | 'binding' } | { remove: Removal };

/** Access rights: tokens, roles, and bindings of roles to users and groups. */
export default function AccessView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const tokens = useLive('accesstokens');
  const roles = useLive('accessroles');
  const bindings = useLive('accessbindings');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);

  const tokenColumns: Column<AccessToken>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('access.role'), cell: ({ spec }) => spec.role },
    { title: text('access.description'), cell: ({ spec }) => spec.description },
    { title: text('access.expires'), cell: ({ spec }) => spec.expiresAt ?? text('access.never') },
    { title: text('access.lastUsed'), cell: ({ status }) => `${ageText(status.lastUsedAt, now)} ${status.lastUsedFrom}` },
  ];
  const roleColumns: Column<AccessRole>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('access.description'), cell: ({ spec }) => spec.description },
    { title: text('access.rights'), cell: ({ spec }) => spec.rules.map(ruleText).join('; ') },
  ];
  const bindingColumns: Column<AccessBinding>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('access.role'), cell: ({ spec }) => spec.role },
    { title: text('access.users'), cell: ({ spec }) => spec.users.join(', ') },
    { title: text('access.groups'), cell: ({ spec }) => spec.groups.join(', ') },
  ];

  function removal(plural: Plural) {
    return ({ metadata }: AccessToken | AccessRole | AccessBinding) => (
      <Actions
        label={text('table.actions', { name: metadata.name })}
        actions={[
          {
            label: text('access.remove'),
            danger: true,
            run: () => setOpen({ remove: { plural, name: metadata.name, uid: metadata.uid } }),
          },
        ]}
      />
    );
  }

  function button(what: 'token' | 'binding') {
    return (
      canWrite && (
        <Button variant="secondary" onClick={() => setOpen({ create: what })}>
          {text(what === 'token' ? 'access.createToken' : 'access.createBinding')}
        </Button>
      )
    );
  }

  const keyOf = ({ metadata }: AccessToken | AccessRole | AccessBinding) => metadata.name;
  return (
    <View title={text('nav.access')}>
      <p className="holdfast-toolbar">{text('access.help')}</p>
      <Part title={text('access.tokens')} actions={button('token')}>
        <Rows
          label={text('access.tokens')}
          rows={tokens.items}
          error={tokens.error}
          columns={tokenColumns}
          keyOf={keyOf}
          {...(canWrite && { actions: removal('accesstokens') })}
        />
      </Part>
      <Part title={text('access.roles')}>
        <Rows
          label={text('access.roles')}
          rows={roles.items}
          error={roles.error}
          columns={roleColumns}
          keyOf={keyOf}
          {...(canWrite && { actions: removal('accessroles') })}
        />
      </Part>
      <Part title={text('access.bindings')} actions={button('binding')}>
        <Rows
          label={text('access.bindings')}
          rows={bindings.items}
          error={bindings.error}
          columns={bindingColumns}
          keyOf={keyOf}
          {...(canWrite && { actions: removal('accessbindings') })}
        />
      </Part>
      {open && 'create' in open && open.create === 'token' && <CreateToken roles={roles.items} close={close} />}
      {open && 'create' in open && open.create === 'binding' && <CreateBinding roles={roles.items} close={close} />}
      {open && 'remove' in open && (
        <TypedNameDialog
          title={text('access.removeTitle', { name: open.remove.name })}
          name={open.remove.name}
          submit={text('access.remove')}
          close={close}
          act={() => remove(open.remove.plural, open.remove.name, open.remove.uid)}
        />
      )}
    </View>
  );
}
