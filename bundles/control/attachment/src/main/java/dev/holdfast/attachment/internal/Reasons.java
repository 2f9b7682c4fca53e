package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.node.Node;

/** Reasons of the condition Satisfied, for programs. */
final class Reasons {
  /** Satisfied: the volume was observed as attached in the requested way. */
  static final String ATTACHED = "Attached";

  /** Satisfied: the volume's share, which every node reaches, was observed as exported. */
  static final String SHARED = "Shared";

  /** Satisfied: the volume can move to the ticket's node as soon as it leaves the present one. */
  static final String READY_TO_MIGRATE = "ReadyToMigrate";

  static final String ATTACHER_UNAVAILABLE = "AttacherUnavailable";
  static final String ATTACHING = "Attaching";

  /** Only the copy may use the volume before its first content is complete. */
  static final String CLONING = "Cloning";

  static final String RESTORING = "Restoring";

  static final String CREATING = "Creating";
  static final String DETACHING = "Detaching";
  static final String DISK_NOT_SEEN = "DiskNotSeen";
  static final String ENGINE_NOT_READY = "EngineNotReady";
  static final String ENGINE_UNAVAILABLE = "EngineUnavailable";
  static final String FRONTEND_NOT_READY = "FrontendNotReady";
  static final String FRONTEND_UNAVAILABLE = "FrontendUnavailable";
  static final String INCOMPATIBLE = AttachmentTicketStatus.INCOMPATIBLE_REASON;
  static final String MIGRATING = "Migrating";
  static final String MIGRATION_AMBIGUOUS = "MigrationAmbiguous";
  static final String NODE_NOT_FOUND = "NodeNotFound";
  static final String NODE_NOT_READY = Node.NOT_READY_REASON;

  /** The ticket is not blocked; the next pass attaches the volume. */
  static final String NOT_ATTACHED = "NotAttached";

  static final String NOT_SCHEDULED = "NotScheduled";
  static final String OTHER_NODE = AttachmentTicketStatus.OTHER_NODE_REASON;
  static final String SHARE_NOT_READY = "ShareNotReady";
  static final String STANDBY = "Standby";
  static final String STRICTLY_LOCAL = "StrictlyLocal";
  static final String VOLUME_DELETING = "VolumeDeleting";
  static final String VOLUME_FAULTED = "VolumeFaulted";
  static final String VOLUME_NOT_FOUND = "VolumeNotFound";

  private Reasons() {}
}
