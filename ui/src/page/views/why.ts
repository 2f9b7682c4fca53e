import type { Condition, Ticket, Volume, VolumeAttachment } from '../api/types';
import type { TextFunction } from '../text/text';

export interface TicketState {
  ticket: Ticket;
  satisfied: boolean;
  reason: string;
  message: string;
}

/** Returns the tickets of a volume with their states. */
export function ticketStates(attachment: VolumeAttachment | undefined): TicketState[] {
  return Object.values(attachment?.spec.attachmentTickets ?? {}).map((ticket) => {
    const status = attachment?.status.attachmentTicketStatuses[ticket.id];
    const told = status?.conditions.find((condition) => condition.type === 'Satisfied');
    return {
      ticket,
      satisfied: status?.satisfied ?? false,
      reason: told?.reason ?? '',
      message: told?.message ?? '',
    };
  });
}

/** Returns the conditions of a volume that report a problem. Only for Faulted, the status True is the problem. */
export function problems(volume: Volume): Condition[] {
  return volume.status.conditions.filter(({ type, status }) =>
    type === 'TicketsSatisfied' ? false : type === 'Faulted' ? status === 'True' : status === 'False',
  );
}

function place(volume: Volume, tickets: TicketState[], text: TextFunction): string {
  const { state, currentNodeID } = volume.status;
  const node = volume.spec.nodeID || currentNodeID;
  if (volume.metadata.deletionTimestamp) {
    return text('why.deleting');
  }
  switch (state) {
    case 'creating':
      return text('why.creating');
    case 'attaching':
      return text('why.attaching', { node });
    case 'detaching':
      return text('why.detaching');
    case 'deleting':
      return text('why.deleting');
    case 'attached': {
      const holders = tickets.filter(({ satisfied }) => satisfied).map(({ ticket }) => ticket.id);
      return holders.length > 0 ? text('why.attached', { node, tickets: holders.join(', ') }) : text('why.attachedNoTicket', { node });
    }
    default: {
      const waiting = tickets.find(({ satisfied }) => !satisfied);
      return waiting ? text('why.detachedWaiting', { message: waiting.message || waiting.reason }) : text('why.detached');
    }
  }
}

/** Explains in one or two sentences why a volume is attached, detached or waiting. */
export function why(volume: Volume, attachment: VolumeAttachment | undefined, text: TextFunction): string {
  const complaints = problems(volume).map(({ type, reason, message }) => text('why.problem', { type, message: message || reason }));
  return [place(volume, ticketStates(attachment), text), ...complaints].join(' ');
}
