// The actions of the commands, by the same changes of resources.
import { get, patch } from '../api/client';
import type { Snapshot, Volume, VolumeAttachment } from '../api/types';

const POLL_MS = 500;
const LIMIT_MS = 60_000;
const TICKET_TYPE = 'api';

export function attach(volume: string, node: string): Promise<unknown> {
  const id = node ? `${TICKET_TYPE}-${node}` : TICKET_TYPE;
  const ticket = { id, type: TICKET_TYPE, nodeID: node, parameters: { disableFrontend: 'false' } };
  return patch('volumeattachments', volume, { spec: { attachmentTickets: { [id]: ticket } } });
}

/** Removes the tickets that users added. Tickets of other attachers stay. */
export function detach(attachment: VolumeAttachment): Promise<unknown> {
  const ids = Object.values(attachment.spec.attachmentTickets)
    .filter((ticket) => ticket.type === TICKET_TYPE)
    .map((ticket) => [ticket.id, null] as const);
  return patch('volumeattachments', attachment.metadata.name, { spec: { attachmentTickets: Object.fromEntries(ids) } });
}

async function until<R>(read: () => Promise<R>, done: (value: R) => boolean, late: string): Promise<R> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (done(value)) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(late);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Reverts a detached volume. The volume is attached without a frontend until the revert ends. */
export async function revert(volume: Volume, snapshot: Snapshot, late: string): Promise<void> {
  const name = volume.metadata.name;
  const request = crypto.randomUUID();
  const ticket = `api-revert-${request}`;
  const expiresAt = new Date(Date.now() + LIMIT_MS).toISOString().replace(/\.\d+Z$/, 'Z');
  const wanted = { id: ticket, type: TICKET_TYPE, nodeID: '', parameters: { disableFrontend: 'true' }, expiresAt };
  await patch('volumeattachments', name, { spec: { attachmentTickets: { [ticket]: wanted } } });
  try {
    await until(
      () => get('volumeattachments', name),
      (attachment) => attachment.status.attachmentTicketStatuses[ticket]?.satisfied ?? false,
      late,
    );
    await patch('snapshots', snapshot.metadata.name, { spec: { revertRequest: request } });
    const { status } = await until(
      () => get('snapshots', snapshot.metadata.name),
      ({ status: { revert: outcome } }) => outcome.requestID === request && outcome.finishedAt !== undefined,
      late,
    );
    if (status.revert.error) {
      throw new Error(status.revert.error);
    }
  } finally {
    await patch('volumeattachments', name, { spec: { attachmentTickets: { [ticket]: null } } });
  }
}
