package dev.holdfast.access;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The roles that every cluster has. */
public enum BuiltInRole {
  /** Reads all kinds but AccessToken. */
  VIEW("Reads all kinds except access tokens."),

  /** Permits work with volumes except the deletion of data. */
  OPERATE(
      "Reads as view; creates and changes volumes, attachments, snapshots, backups, recurring jobs"
          + " and backing images; cordons and evicts nodes; deletes no data."),

  /** Has every right. */
  ADMIN("Has every right."),

  /** Reads measurements and health. */
  METRICS("Reads /metrics and the details of health checks."),

  /** Reads the data that support needs. */
  SUPPORT("Reads as view, reads the audit log and creates support bundles.");

  private static final List<String> READ = List.of("get", "list", "watch");
  private static final List<String> CHANGE = List.of("create", "update", "patch");

  private final String description;

  BuiltInRole(String description) {
    this.description = description;
  }

  /** Returns the name of the role, never null. */
  public String roleName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns one sentence for users, never null. */
  public String description() {
    return description;
  }

  /** Returns the rights of the role, never null. */
  public List<AccessRule> rules() {
    return switch (this) {
      case VIEW -> List.of(AccessRule.forKinds(READ, AccessRule.ALL));
      case OPERATE ->
          Stream.concat(
                  VIEW.rules().stream(),
                  Stream.of(
                      AccessRule.forKinds(
                          CHANGE,
                          "volumes",
                          "volumes/scale",
                          "volumeattachments",
                          "snapshots",
                          "backups",
                          "backupbackingimages",
                          "recurringjobs",
                          "backingimages",
                          "backingimages/upload"),
                      AccessRule.forKinds(List.of("get"), "volumes/scale"),
                      // The download contains the content of an image, which the role view does not
                      // include.
                      AccessRule.forKinds(List.of("get"), "backingimages/download"),
                      // Cordon and eviction are fields of a node. Undelete is a field of a deleted
                      // volume, whose expiry may only be extended.
                      AccessRule.forKinds(List.of("update", "patch"), "nodes", "deletedvolumes")))
              .toList();
      case ADMIN ->
          List.of(
              AccessRule.forKinds(List.of(AccessRule.ALL), AccessRule.ALL_KINDS),
              AccessRule.forPaths(List.of(AccessRule.ALL), "/*"));
      case METRICS -> List.of(AccessRule.forPaths(List.of("get"), "/metrics", "/livez", "/readyz"));
      case SUPPORT ->
          Stream.concat(
                  VIEW.rules().stream(),
                  Stream.of(
                      AccessRule.forKinds(List.of("get"), "nodes/audit"),
                      AccessRule.forPaths(List.of("get", "post"), "/support/*")))
              .toList();
    };
  }

  /** Returns the role of a name, empty if the name is not that of a built-in role. */
  public static Optional<BuiltInRole> named(String name) {
    for (BuiltInRole role : values()) {
      if (role.roleName().equals(name)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
