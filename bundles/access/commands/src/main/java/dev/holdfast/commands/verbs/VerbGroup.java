package dev.holdfast.commands.verbs;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The table of verbs, by their first word. The verbs of a group are loaded at the first use, to
 * shorten the start of the command line.
 */
public enum VerbGroup {
  /** Volumes. */
  VOLUME("Make, show, attach, detach, grow, limit and delete volumes."),
  /** Snapshots. */
  SNAPSHOT("Take, show, remove and revert to snapshots of volumes."),
  /** Backing images. */
  IMAGE("Make, upload, show, back up, clean up and delete backing images."),
  /** Backups of volumes. */
  BACKUP("Make, show, verify, extract and delete backups, and name their targets."),
  /** Secrets. */
  SECRET("Set, show and delete secrets of the node on this host, such as credentials of targets."),
  /** Jobs that make snapshots and backups by a schedule. */
  RECURRING_JOB(
      "Make, show, suspend and delete jobs that make snapshots and backups by a schedule."),
  /** Backups of the resources of the cluster. */
  SYSTEM_BACKUP("Save the resources of the cluster at a target, and restore them."),
  /** Replicas. */
  REPLICA("Show the replicas of volumes."),
  /** Events. */
  EVENT("Show the events of volumes, nodes and other objects."),
  /** Attachment tickets. */
  TICKET("Show attachment tickets, and delete those that an uninstalled attacher left behind."),
  /** Shares of volumes. */
  SHARE("Share volumes with many hosts over NFS, and mount shares."),
  /** Disks. */
  DISK("Add, show, cordon, drain and remove the disks that replicas are kept on."),
  /** Nodes. */
  NODE("Show, cordon and drain nodes, let them join the cluster, and remove them."),
  /** The control plane of the cluster. */
  CLUSTER("Back up the control plane of the cluster to a file, and restore it."),
  /** Access tokens. */
  TOKEN("Make, show and remove access tokens of users and programs."),
  /** Clients of volumes. */
  CLIENT("Let clients on other hosts use volumes: add, show, rotate and remove them."),
  /** Roles. */
  ROLE("Show the roles that access tokens can have."),
  /** Settings. */
  SETTING("Show, explain and change the settings of the cluster."),
  /** A single verb. */
  MOUNT,
  /** A single verb. */
  UMOUNT,
  /** A single verb. */
  AUDIT,
  /** A single verb. */
  STATUS,
  /** A single verb. */
  HEALTH,
  /** A single verb. */
  CHECK,
  /** A single verb. */
  SUPPORT_BUNDLE,
  /** A single verb. */
  LOG_LEVEL,
  /** A single verb. */
  UPGRADE,
  /** A single verb. */
  KUBECONFIG;

  private final String description;

  VerbGroup() {
    this("");
  }

  VerbGroup(String description) {
    this.description = description;
  }

  /** Returns the first word of the verbs. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the purpose of the group; empty for a single verb with the name of the group. */
  public String description() {
    return description;
  }

  /** Returns whether the group is a single verb with the name of the group. */
  public boolean isSingle() {
    return description.isEmpty();
  }

  /** Returns the verbs. */
  public List<Verb> verbs() {
    return switch (this) {
      case VOLUME -> Stream.concat(VolumeVerbs.ALL.stream(), ImageVerbs.ALL.stream()).toList();
      case SNAPSHOT -> SnapshotVerbs.ALL;
      case IMAGE ->
          Stream.concat(BackingImageVerbs.ALL.stream(), ImageBackupVerbs.ALL.stream()).toList();
      case BACKUP ->
          Stream.of(VolumeBackupVerbs.ALL, BackupVolumeVerbs.ALL, BackupVerbs.ALL)
              .flatMap(List::stream)
              .toList();
      case SECRET -> SecretVerbs.ALL;
      case RECURRING_JOB -> RecurringJobVerbs.ALL;
      case SYSTEM_BACKUP -> SystemBackupVerbs.ALL;
      case REPLICA -> List.of(ListVerbs.REPLICAS);
      case EVENT -> List.of(ListVerbs.EVENTS);
      case TICKET -> List.of(ListVerbs.TICKETS, AttachVerbs.TICKET_DELETE);
      case SHARE -> ShareVerbs.ALL;
      case DISK -> DiskVerbs.ALL;
      case NODE -> NodeVerbs.ALL;
      case CLUSTER -> ClusterVerbs.ALL;
      case TOKEN -> AccessVerbs.TOKENS;
      case CLIENT -> ClientVerbs.ALL;
      case ROLE -> AccessVerbs.ROLES;
      case SETTING -> SettingVerbs.ALL;
      case AUDIT -> List.of(AccessVerbs.AUDIT);
      case MOUNT -> List.of(MountVerbs.MOUNT);
      case UMOUNT -> List.of(MountVerbs.UMOUNT);
      case STATUS -> List.of(HostVerbs.STATUS);
      case HEALTH -> List.of(HostVerbs.HEALTH);
      case CHECK -> List.of(HostVerbs.CHECK);
      case SUPPORT_BUNDLE -> List.of(SupportVerbs.BUNDLE);
      case LOG_LEVEL -> List.of(LogVerbs.LOG_LEVEL);
      case UPGRADE -> List.of(UpgradeVerbs.UPGRADE);
      case KUBECONFIG -> List.of(HostVerbs.KUBECONFIG);
    };
  }

  /** Returns all verbs. */
  public static List<Verb> allVerbs() {
    return Stream.of(values()).flatMap(group -> group.verbs().stream()).toList();
  }
}
