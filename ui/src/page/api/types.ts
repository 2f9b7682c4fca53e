// The fields of the API's resources that the page uses.

export interface Metadata {
  name: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { uid: string }[];
  finalizers?: string[];
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

export interface Resource {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
}

export interface Volume extends Resource {
  spec: {
    size: string;
    numberOfReplicas: number;
    dataEngine: string;
    frontend: string;
    accessMode: string;
    nodeID: string;
    backingImage: string;
    deleteWhenDetached: boolean;
    deletionGrace: string;
    standby: boolean;
    fromBackup: string;
    cloneSource?: { volume: string };
  };
  status: {
    state: string;
    robustness: string;
    currentNodeID: string;
    endpoint: string;
    actualSize: string;
    currentSize: string;
    replicas: { name: string; nodeID: string; diskID: string; mode: string; diskUUID: string }[];
    conditions: Condition[];
    cloneStatus: { state: string };
    restore: { state: string };
    standby: { state: string };
  };
}

/** A deleted volume whose content is kept for a grace period. */
export interface DeletedVolume extends Resource {
  spec: {
    volumeUID: string;
    volumeSpec: { size: string };
    actualSize: string;
    deletedAt?: string;
    purgeAt?: string;
    undelete: boolean;
  };
  status: { state: string; message: string };
}

export interface Replica extends Resource {
  spec: { volume: string; witness: boolean };
}

export interface Ticket {
  id: string;
  type: string;
  nodeID: string;
  parameters: Record<string, string>;
  expiresAt?: string;
  ownerReference?: { kind: string; name: string };
}

export interface VolumeAttachment extends Resource {
  spec: { volume: string; attachmentTickets: Record<string, Ticket> };
  status: {
    attachmentTicketStatuses: Record<string, { id: string; satisfied: boolean; conditions: Condition[] }>;
  };
}

export interface RequestOutcome {
  requestID: string;
  finishedAt?: string;
  result: string;
  error: string;
}

export interface Snapshot extends Resource {
  spec: { volume: string; snapshotName: string; revertRequest: string };
  status: {
    readyToUse: boolean;
    creationTime?: string;
    parent: string;
    size: string;
    error: string;
    message: string;
    userCreated: boolean;
    markRemoved: boolean;
    revert: RequestOutcome;
  };
}

export interface Engine extends Resource {
  spec: { volume: string };
  status: {
    rebuildStatus: Record<string, { state: string; progress: number; copied: string; total: string; error: string }>;
  };
}

export interface HoldfastNode extends Resource {
  spec: {
    allowScheduling: boolean;
    evictionRequested: boolean;
    disks: Record<string, { path: string; allowScheduling: boolean; storageReserved: string; evictionRequested: boolean }>;
  };
  status: {
    address: string;
    version: string;
    engines: string[];
    frontends: string[];
    diskStatus: Record<
      string,
      {
        diskUUID: string;
        path: string;
        storageMaximum: string;
        storageAvailable: string;
        filesystem: string;
        conditions: Condition[];
      }
    >;
    conditions: Condition[];
  };
}

export interface HoldfastEvent extends Resource {
  spec: {
    regarding: { kind: string; name: string };
    type: string;
    reason: string;
    message: string;
    count: number;
    firstTimestamp?: string;
    lastTimestamp?: string;
  };
}

export interface Setting extends Resource {
  spec: { value: string };
  status: { applied: boolean };
}

export interface BackupTarget extends Resource {
  spec: { backupTargetURL: string; credentialSecret: string; compressionMethod: string };
  status: { available: boolean; conditions: Condition[] };
}

export interface Backup extends Resource {
  spec: { volume: string; snapshotName: string; backupTargetName: string };
  status: {
    state: string;
    progress: number;
    url: string;
    volumeSize: string;
    size: string;
    newlyUploadedDataSize: string;
    backupCreatedAt?: string;
    error: string;
  };
}

export interface BackupVolume extends Resource {
  spec: { backupTargetName: string; volumeName: string };
  status: {
    size: string;
    lastBackupName: string;
    lastBackupAt?: string;
    backups: number;
    backingImageName: string;
    backingImageChecksum: string;
    conditions: Condition[];
  };
}

export interface BackupBackingImage extends Resource {
  spec: { backupTargetName: string; backingImage: string };
  status: { state: string; progress: number; url: string; checksum: string; size: string; error: string };
}

export interface SystemBackup extends Resource {
  spec: { backupTargetName: string; volumeBackupPolicy: string };
  status: { state: string; createdAt?: string; size: string; items: number; volumes: number; failures: string[]; error: string };
}

export interface SystemRestore extends Resource {
  spec: { systemBackup: string; backupTargetName: string; volumes: string; restoreMode: string };
  status: {
    state: string;
    kinds: { kind: string; restored: number; existing: number; skipped: number; failed: number }[];
    failures: string[];
    pendingVolumes: number;
    completedAt?: string;
    error: string;
  };
}

export interface RecurringJob extends Resource {
  spec: { task: string; cron: string; timeZone: string; groups: string[]; retain: number; suspend: boolean };
  status: { lastScheduledAt?: string; nextScheduledAt?: string; lastErrors: string[]; lastSkipped: string[] };
}

export interface BackingImage extends Resource {
  spec: {
    sourceType: string;
    sourceParameters: Record<string, string>;
    checksum: string;
    diskFileSpecMap: Record<string, { evictionRequested: boolean }>;
    cleanupDisks: string[];
    minNumberOfCopies: number;
  };
  status: {
    checksum: string;
    size: string;
    virtualSize: string;
    format: string;
    diskFileStatusMap: Record<string, { state: string; progress: number; message: string }>;
  };
}

export interface AccessToken extends Resource {
  spec: { role: string; secretHash: string; expiresAt?: string; description: string };
  status: { lastUsedAt?: string; lastUsedFrom: string };
}

export interface AccessRule {
  verbs: string[];
  kinds: string[];
  names: string[];
  paths: string[];
}

export interface AccessRole extends Resource {
  spec: { description: string; rules: AccessRule[] };
}

export interface AccessBinding extends Resource {
  spec: { role: string; users: string[]; groups: string[] };
}

export interface Kinds {
  volumes: Volume;
  deletedvolumes: DeletedVolume;
  volumeattachments: VolumeAttachment;
  snapshots: Snapshot;
  engines: Engine;
  replicas: Replica;
  nodes: HoldfastNode;
  events: HoldfastEvent;
  settings: Setting;
  backuptargets: BackupTarget;
  backups: Backup;
  backupvolumes: BackupVolume;
  backupbackingimages: BackupBackingImage;
  systembackups: SystemBackup;
  systemrestores: SystemRestore;
  recurringjobs: RecurringJob;
  backingimages: BackingImage;
  accesstokens: AccessToken;
  accessroles: AccessRole;
  accessbindings: AccessBinding;
}

export type Plural = keyof Kinds;

export const KIND_NAMES = {
  volumes: 'Volume',
  deletedvolumes: 'DeletedVolume',
  volumeattachments: 'VolumeAttachment',
  snapshots: 'Snapshot',
  engines: 'Engine',
  replicas: 'Replica',
  nodes: 'Node',
  events: 'Event',
  settings: 'Setting',
  backuptargets: 'BackupTarget',
  backups: 'Backup',
  backupvolumes: 'BackupVolume',
  backupbackingimages: 'BackupBackingImage',
  systembackups: 'SystemBackup',
  systemrestores: 'SystemRestore',
  recurringjobs: 'RecurringJob',
  backingimages: 'BackingImage',
  accesstokens: 'AccessToken',
  accessroles: 'AccessRole',
  accessbindings: 'AccessBinding',
} as const satisfies Record<Plural, string>;
