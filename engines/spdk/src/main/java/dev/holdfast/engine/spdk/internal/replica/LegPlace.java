package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.data.Identity;
import java.util.UUID;

/**
 * Names of a replica in the store of its disk. SPDK allows 63 characters, so they are short: {@code
 * hf-}, 12 digits that follow from the name of the replica on the disk, and 8 random digits, or
 * {@code meta} for the record.
 *
 * @param location what the caller named, not null
 * @param store name of the store, not null
 */
public record LegPlace(ReplicaLocation location, String store) {
  private static final String SHOWN = "leg";
  private static final int OWN = 12;
  private static final int RANDOM = 8;

  /** Returns what the names of the replica's volumes begin with. */
  public String prefix() {
    return "hf-" + Identity.digits(location.directoryName(), OWN) + "-";
  }

  /** Returns whether a volume of the store belongs to the replica. */
  boolean owns(String lvol) {
    return lvol.startsWith(prefix());
  }

  /** Returns the name of the record. */
  public String meta() {
    return prefix() + "meta";
  }

  /** Returns a new part of names, which all legs use for the same content. */
  public static String fresh() {
    return UUID.randomUUID().toString().substring(0, RANDOM);
  }

  /** Returns the name of a live content or a snapshot. */
  public String named(String part) {
    return prefix() + part;
  }

  /** Returns the name by which the target knows a volume of the store. */
  public String alias(String lvol) {
    return store + "/" + lvol;
  }

  /** Returns the subsystem by which the engine reaches a volume of the store. */
  public String subsystem(String lvol) {
    return Identity.internal("lvol", store + ":" + lvol);
  }

  /** Returns what the names of subsystems begin with that show a replica to other targets. */
  static String shown(String identity) {
    return Identity.internal(SHOWN, identity + ":");
  }

  /** Returns what these names begin with in one generation. */
  static String shown(String identity, long generation) {
    return shown(identity) + generation + ":";
  }

  /** Returns the subsystem that shows a volume of the replica to another target. */
  public static String shown(String identity, long generation, String lvol) {
    return shown(identity, generation) + lvol;
  }

  /** Returns the controller by which a target reaches the source of a rebuild. */
  static String source(String identity) {
    return "hf-" + Identity.digits(identity, OWN) + "-source";
  }

  /** Returns what follows the prefix, which all legs use for the same content. */
  public static String part(String lvol) {
    return lvol.substring(lvol.lastIndexOf('-') + 1);
  }

  /** Returns whether a subsystem shows a replica to another target, in any generation. */
  public static boolean shows(String nqn, String identity) {
    return nqn.startsWith(shown(identity));
  }

  /** Returns whether a subsystem shows a volume to another target, in any generation. */
  static boolean showsVolume(String nqn, String lvol) {
    return nqn.startsWith(Identity.internal(SHOWN, "")) && nqn.endsWith(":" + lvol);
  }

  /** Returns the replica in words. */
  public String title() {
    return "replica " + location.replica() + " on disk " + location.diskPath();
  }
}
