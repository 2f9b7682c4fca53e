package dev.holdfast.resource.cluster;

import static dev.holdfast.resource.cluster.SettingDefinition.bytes;
import static dev.holdfast.resource.cluster.SettingDefinition.choice;
import static dev.holdfast.resource.cluster.SettingDefinition.flag;
import static dev.holdfast.resource.cluster.SettingDefinition.number;
import static dev.holdfast.resource.cluster.SettingDefinition.text;

import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.volume.AutoBalance;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of the platform. Settings that Longhorn also has use Longhorn's names. The bundle
 * that reads a setting registers it by {@link SettingDefinitions}.
 */
public final class PlatformSettings {
  private static final long MONTH_SECONDS = 30L * 24 * 3600;
  private static final String IPV4 = "\\d{1,3}(\\.\\d{1,3}){3}(/([12]?\\d|3[0-2]))?";
  private static final String IPV6 =
      "[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/(1[01]\\d|12[0-8]|[1-9]?\\d))?";
  private static final String NETWORK = "\\s*(" + IPV4 + "|" + IPV6 + ")\\s*";

  private static final String NETWORKS = NETWORK + "(," + NETWORK + ")*";
  private static final String NETWORKS_FORM =
      "networks such as 10.1.0.0/16,fd00::/8, separated by commas";

  private static final String OIDC_CLAIM = "[A-Za-z0-9_.:/-]{1,256}";
  private static final String OIDC_CLAIM_FORM = "the name of a claim such as email";

  /** A volume without a disk selector may use tagged disks. */
  public static final SettingDefinition EMPTY_DISK_SELECTOR =
      flag(
          "allow-empty-disk-selector-volume",
          true,
          "A volume without a disk selector may use disks that have tags.");

  /** A volume without a node selector may use tagged nodes. */
  public static final SettingDefinition EMPTY_NODE_SELECTOR =
      flag(
          "allow-empty-node-selector-volume",
          true,
          "A volume without a node selector may use nodes that have tags.");

  /** The audit log contains reads. */
  public static final SettingDefinition AUDIT_READS =
      flag("audit-reads", false, "The audit log has a line for each read too.");

  /** Writes require a writable audit log. */
  public static final SettingDefinition AUDIT_REQUIRED =
      flag(
          "audit-required",
          false,
          "The API answers writes with 503 while the audit log cannot be written, except those of"
              + " nodes and those to this setting.");

  /** Minutes until unneeded copies of images are removed. */
  public static final SettingDefinition IMAGE_CLEANUP_WAIT =
      number(
          "backing-image-cleanup-wait-interval",
          60,
          0,
          525_600,
          "minutes",
          "How long a copy of an image stays on a disk where no replica needs it.");

  /** Seconds until the download of a failed image is repeated. */
  public static final SettingDefinition IMAGE_RECOVERY_WAIT =
      number(
          "backing-image-recovery-wait-interval",
          300,
          0,
          86_400,
          "seconds",
          "How long all copies of a downloaded image are failed before it is downloaded again, and a"
              + " disk with a copy is away before another disk takes one.");

  /** Limit of concurrent rebuilds per node. */
  public static final SettingDefinition REBUILDS_PER_NODE =
      number(
          "concurrent-replica-rebuild-per-node-limit",
          5,
          0,
          1_000,
          "",
          "How many replicas of one node are rebuilt at a time; 0 stops all rebuilds.");

  /** Volumes that users attached to a cordoned node are detached. */
  public static final SettingDefinition DETACH_WHEN_CORDONED =
      flag(
          "detach-manually-attached-volumes-when-cordoned",
          false,
          "A volume that a user attached to a node is detached when the node is cordoned.");

  /** Filesystems are frozen during snapshots. */
  public static final SettingDefinition FREEZE_FILESYSTEM =
      flag(
              "freeze-filesystem-for-snapshot",
              false,
              "The filesystem of a volume is frozen while a snapshot is taken.")
          .overriddenBy("freezeFilesystemForSnapshot");

  /** Networks from which images may be downloaded. */
  public static final SettingDefinition IMAGE_NETWORKS =
      text(
          "image-download-allowed-networks",
          NETWORKS,
          NETWORKS_FORM,
          "Networks that are not public and from which backing images may be downloaded.");

  /** Retention time for the content of deleted volumes. */
  public static final SettingDefinition DELETION_GRACE =
      text(
              "deletion-grace",
              DeletionGrace.PATTERN,
              DeletionGrace.FORM,
              "How long the content of a deleted volume is kept, so that 'holdfast volume undelete'"
                  + " can take the deletion back; 0s removes it at once.",
              "24h")
          .overriddenBy("deletionGrace");

  /** Proxy for downloads. */
  public static final SettingDefinition IMAGE_PROXY =
      text(
          "image-download-proxy",
          "http://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]):[1-9]\\d{0,4}/?",
          "the address of an HTTP proxy such as http://proxy.example:3128",
          "The HTTP proxy of all downloads of backing images.");

  /** Maximum size of an image. */
  public static final SettingDefinition IMAGE_SIZE =
      bytes(
          "image-maximum-virtual-size",
          "16Ti",
          1,
          "The largest size of an image's file and of its disk.");

  /** Levels of loggers. */
  public static final SettingDefinition LOG_LEVEL =
      text(
          "log-level",
          "\\s*" + LogLevelRule.FORM + "\\s*(,\\s*" + LogLevelRule.FORM + "\\s*)*",
          "[NODE/]LOGGER=LEVEL[@TIME] such as dev.holdfast.portal=DEBUG, separated by commas",
          "Levels of loggers, of all nodes or of one, until a time; set them by 'holdfast log-level'.");

  /** Policy for the deletion of pods on a lost node. */
  public static final SettingDefinition NODE_DOWN_PODS =
      choice(
          "node-down-pod-deletion-policy",
          List.of(
              "do-nothing",
              "delete-statefulset-pod",
              "delete-deployment-pod",
              "delete-both-statefulset-and-deployment-pod"),
          "Which pods with volumes Holdfast removes from a node of Kubernetes that is down.");

  /** Detached volumes are rebuilt. */
  public static final SettingDefinition OFFLINE_REBUILD =
      flag(
          "offline-replica-rebuilding",
          false,
          "Missing replicas of volumes that are not in use are rebuilt too.");

  /** Trims remove snapshots. */
  public static final SettingDefinition TRIM_REMOVES_SNAPSHOTS =
      flag(
              "remove-snapshots-during-filesystem-trim",
              false,
              "A trim first removes the snapshots below the live content, those of users too.")
          .overriddenBy("unmapMarkSnapChainRemoved");

  /** Replicas are moved to balance nodes and disks. */
  public static final SettingDefinition AUTO_BALANCE =
      choice(
              "replica-auto-balance",
              Stream.of(AutoBalance.values())
                  .filter(value -> value != AutoBalance.IGNORED)
                  .map(AutoBalance::toString)
                  .toList(),
              "With least-effort, replicas move from nodes and zones that hold two to ones that hold"
                  + " none; with best-effort, also while one holds two more than another.")
          .overriddenBy("replicaAutoBalance");

  /** Two replicas of a volume may share a disk. */
  public static final SettingDefinition DISK_SOFT_ANTI_AFFINITY =
      flag("replica-disk-soft-anti-affinity", false, "Two replicas of a volume may be on one disk.")
          .overriddenBy("replicaDiskSoftAntiAffinity");

  /** Rate limit of one rebuild. */
  public static final SettingDefinition REBUILD_RATE =
      bytes(
              "replica-rebuild-bytes-per-second",
              "0",
              0,
              "The most that one rebuild copies in a second; 0 for no limit.")
          .overriddenBy("rebuildBytesPerSecond");

  /** Seconds until a failed replica is replaced. */
  public static final SettingDefinition REPLENISHMENT_WAIT =
      number(
          "replica-replenishment-wait-interval",
          600,
          0,
          MONTH_SECONDS,
          "seconds",
          "How long a failed replica is waited for before a new one is made.");

  /** Two replicas of a volume may share a node. */
  public static final SettingDefinition NODE_SOFT_ANTI_AFFINITY =
      flag("replica-soft-anti-affinity", true, "Two replicas of a volume may be on one node.")
          .overriddenBy("replicaSoftAntiAffinity");

  /** Two replicas of a volume may share a zone. */
  public static final SettingDefinition ZONE_SOFT_ANTI_AFFINITY =
      flag(
              "replica-zone-soft-anti-affinity",
              true,
              "Two replicas of a volume may be in one zone; nodes without the label are in no common"
                  + " zone.")
          .overriddenBy("replicaZoneSoftAntiAffinity");

  /** Pods are restarted once if the mount of a share cannot be kept. */
  public static final SettingDefinition RESTART_MOVED_SHARES =
      flag(
          "restart-pods-of-moved-shares",
          false,
          "Pods of Kubernetes that have a share mounted at an address where it is not any more are"
              + " deleted once, so that their controllers start them with a new mount.");

  /** Rate limit of a scrub. */
  public static final SettingDefinition SCRUB_RATE =
      bytes(
          "snapshot-scrub-bytes-per-second",
          "100Mi",
          0,
          "The most that scrubbing reads of each replica in a second; 0 for no limit.");

  /** Hours between two scrubs of a snapshot. */
  public static final SettingDefinition SCRUB_INTERVAL =
      number(
          "snapshot-scrub-interval",
          168,
          0,
          99_999,
          "hours",
          "The time between two comparisons of a snapshot with its checksums; 0 for never.");

  /** Lag of a standby volume above which it is reported. */
  public static final SettingDefinition STANDBY_MAXIMUM_LAG =
      number(
          "standby-maximum-lag",
          86_400,
          0,
          31_536_000,
          "seconds",
          "How old the content of a standby volume may be before its condition StandbyCurrent is"
              + " False; 0 for any age.");

  /** Seconds between two searches for a newer backup. */
  public static final SettingDefinition STANDBY_POLL_INTERVAL =
      number(
          "standby-poll-interval",
          60,
          1,
          86_400,
          "seconds",
          "The time between two looks of a standby volume for a newer backup at its target.");

  /** Minimum free percentage of a disk. */
  public static final SettingDefinition MINIMAL_AVAILABLE =
      number(
          "storage-minimal-available-percentage",
          10,
          0,
          100,
          "percent",
          "How much of a disk stays free when a replica is placed on it, the replica's size"
              + " included.");

  /** Maximum promised percentage of a disk. */
  public static final SettingDefinition OVER_PROVISIONING =
      number(
          "storage-over-provisioning-percentage",
          200,
          0,
          10_000,
          "percent",
          "How much of a disk, less what is reserved, may be promised to replicas.");

  /** Claim that contains a user's groups. */
  public static final SettingDefinition OIDC_GROUPS =
      text(
          "oidc-groups-claim",
          OIDC_CLAIM,
          OIDC_CLAIM_FORM,
          "The claim of the identity provider with the groups of a user.",
          "groups");

  /** Client id of the cluster at its identity provider. */
  public static final SettingDefinition OIDC_CLIENT =
      text(
          "oidc-client-id",
          "[\\x21-\\x7e]{1,256}",
          "at most 256 letters, digits and signs without spaces",
          "The name of this cluster at the identity provider.");

  /** Address of the identity provider. */
  public static final SettingDefinition OIDC_ISSUER =
      text(
          "oidc-issuer",
          "(https://|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])[:/])[\\x21-\\x7e]{1,500}",
          "the address of an OpenID Connect provider such as https://login.example",
          "The OpenID Connect provider whose users may sign in; bindings give them rights.");

  /** Claim that contains a user's name. */
  public static final SettingDefinition OIDC_NAME =
      text(
          "oidc-name-claim",
          OIDC_CLAIM,
          OIDC_CLAIM_FORM,
          "The claim of the identity provider with the name of a user.",
          "sub");

  /** Reverse proxies of the API and of the page. */
  public static final SettingDefinition TRUSTED_PROXIES =
      text(
          "trusted-proxies",
          NETWORKS,
          NETWORKS_FORM,
          "Reverse proxies whose X-Forwarded-For and X-Forwarded-Host are believed.");

  private static final List<SettingDefinition> ALL =
      List.of(
          EMPTY_DISK_SELECTOR,
          EMPTY_NODE_SELECTOR,
          AUDIT_READS,
          AUDIT_REQUIRED,
          IMAGE_CLEANUP_WAIT,
          IMAGE_RECOVERY_WAIT,
          REBUILDS_PER_NODE,
          DELETION_GRACE,
          DETACH_WHEN_CORDONED,
          FREEZE_FILESYSTEM,
          IMAGE_NETWORKS,
          IMAGE_PROXY,
          IMAGE_SIZE,
          LOG_LEVEL,
          NODE_DOWN_PODS,
          OFFLINE_REBUILD,
          OIDC_CLIENT,
          OIDC_GROUPS,
          OIDC_ISSUER,
          OIDC_NAME,
          TRIM_REMOVES_SNAPSHOTS,
          AUTO_BALANCE,
          DISK_SOFT_ANTI_AFFINITY,
          REBUILD_RATE,
          REPLENISHMENT_WAIT,
          NODE_SOFT_ANTI_AFFINITY,
          ZONE_SOFT_ANTI_AFFINITY,
          RESTART_MOVED_SHARES,
          SCRUB_RATE,
          SCRUB_INTERVAL,
          STANDBY_MAXIMUM_LAG,
          STANDBY_POLL_INTERVAL,
          MINIMAL_AVAILABLE,
          OVER_PROVISIONING,
          TRUSTED_PROXIES);

  private PlatformSettings() {}

  /** Returns all settings of the platform by ascending name; an immutable list, never null. */
  public static List<SettingDefinition> all() {
    return ALL;
  }

  /** Returns the setting of a name, empty if the platform does not have it. */
  public static Optional<SettingDefinition> named(String name) {
    return ALL.stream().filter(definition -> definition.name().equals(name)).findFirst();
  }

  /** Returns the name of the setting with the smallest edit distance. */
  public static String nearest(String name) {
    return SettingNames.nearest(name, names());
  }

  /** Returns whether an unknown name resembles one of the platform's settings. */
  static boolean isMistyped(String name) {
    return SettingNames.isMistyped(name, names());
  }

  private static List<String> names() {
    return ALL.stream().map(SettingDefinition::name).toList();
  }
}
